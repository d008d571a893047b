import Bytes
package import ClientWire
package import Redux
package import StateCoding

/// A client of one session, without its sockets and clocks: what comes goes in with its time, and what
/// is to be sent is asked for.
///
///     while let demand = machine.next(at: now) { … }          // and again at `machine.deadline`
///
/// Actions are sent one after the other, each with a key of its own: one whose answer was lost is sent
/// again with the same key, and is kept once.
package struct MirrorMachine<M: Model>: Sendable {
    private struct Posting {
        let number: Int
        /// For so long its answer is waited for; or from then on it is sent again.
        var until: Duration
        var isSent: Bool
        /// The server may have it by an attempt whose answer was lost.
        var isInDoubt = false
        /// Nil once others' states are shown, whether it is in them or not.
        var hidesUntil: Duration?
    }

    /// The end of an action: its token, nil where it is no entry; or why there is none.
    package typealias End = (number: Int, result: Result<String?, MirrorProblem>)

    /// For so long what was refused is shown, where the state by which it was does not come.
    static var voidPatience: Duration { .seconds(1) }
    /// For so long an action may hold back the states of others: a quick answer to it is worth more.
    static var doubtPatience: Duration { .seconds(15) }
    /// The most actions that wait.
    package static var pendingLimit: Int { 1_000 }

    package private(set) var prediction: Prediction<M>
    private var feed: SessionFeed
    private let mark: String
    /// Of the action that is sent, in a row.
    private var failures = 0
    private var posting: Posting?
    /// The actions whose answers are there, and whose states are not.
    private var kept: [(number: Int, token: ClientToken)] = []
    /// When actions that have no part in the state are not shown any more, whatever comes.
    private var voidUntil: Duration?
    private var ends: [End] = []

    /// A client that has asked for nothing yet.
    ///
    /// - Parameter seed: random; of it come the keys, the provisional ids and the pauses.
    package init(
        of session: String, query: String = "", fields: [String: String] = [:], seed: UInt64
    ) throws(ActionCoderError) {
        var random = SplitMix(seed: seed)
        mark = String(random.next(), radix: 36)
        feed = SessionFeed(of: session, query: query, fields: fields, seed: random.next())
        prediction = try Prediction(mark: mark)
    }

    package var status: MirrorStatus { feed.status }

    /// Sent along with each request.
    package var fields: [String: String] {
        get { feed.fields }
        set { feed.fields = newValue }
    }

    /// What is to be shown.
    package var state: M.State? { prediction.shown }

    /// The number of actions whose end is not known.
    package var pendingCount: Int {
        prediction.pending.count { if case .void = $0.stage { false } else { true } }
    }

    // MARK: What the user does

    /// Takes an action; its number, by which its end is told.
    package mutating func send(_ action: M.Action, at time: Timestamp) throws(MirrorProblem) -> Int
    {
        if case .lost(let problem) = status { throw problem }
        guard prediction.pending.count < Self.pendingLimit else {
            throw MirrorProblem("too-many-pending", "\(Self.pendingLimit) actions wait already.")
        }
        do throws(EncodingFailure) {
            return try prediction.add(action, at: time)
        } catch {
            throw MirrorProblem("not-encodable", error.detail)
        }
    }

    /// Asks anew who this is and what there is: after a refusal or a loss, as somebody else, or where a
    /// pause would have to end first.
    package mutating func resume(at now: Duration) {
        feed.resume(at: now)
        if posting?.isSent == false { posting?.until = now }
    }

    /// Goes on as somebody else, who has sent nothing and seen nothing.
    package mutating func become(_ fields: [String: String], at now: Duration) {
        self.fields = fields
        giveUp(MirrorProblem("stopped", "Somebody else sends from now on."))
        prediction.forget()
        feed.forget()
        resume(at: now)
    }

    /// Sends nothing more of what was taken, but that which the server may have already: it is asked for
    /// that once more when this goes on.
    package mutating func stop() {
        prediction.removeWaiting()
        guard posting?.isInDoubt == true || posting?.isSent == true else { return posting = nil }
        posting?.isSent = false
        posting?.isInDoubt = true
    }

    // MARK: What is to be done

    /// The next request; nil where none is to be sent now.
    package mutating func next(at now: Duration) -> SessionFeed.Demand? {
        expire(at: now)
        return feed.next(at: now) ?? nextPost(at: now)
    }

    private mutating func nextPost(at now: Duration) -> SessionFeed.Demand? {
        guard !status.isStopped, posting.map({ !$0.isSent && $0.until <= now }) ?? true,
            let next = prediction.pending.first(where: {
                posting == nil ? $0.stage == .waiting : $0.number == posting?.number
            })
        else { return nil }
        posting = Posting(
            number: next.number, until: now + SessionFeed.patience, isSent: true,
            isInDoubt: posting?.isInDoubt ?? false,
            hidesUntil: posting?.isInDoubt == true
                ? posting?.hidesUntil : now + Self.doubtPatience)
        prediction.mark(next.number, isSent: true)
        var all = fields
        all["Idempotency-Key"] = "\"\(mark)-\(next.number)\""
        return .post(.posting(next.json, to: feed.session, fields: all))
    }

    /// The time of the next `next` where nothing comes before.
    package var deadline: Duration? {
        guard let ofFeed = feed.deadline else { return nil }
        return min(
            ofFeed, posting?.until ?? ofFeed, posting?.hidesUntil ?? ofFeed, voidUntil ?? ofFeed)
    }

    private mutating func expire(at now: Duration) {
        if let until = voidUntil, until <= now {
            // A stream that is not there brings it with the first event.
            if feed.isOpen {
                voidUntil = nil
                prediction.dropVoid()
            } else {
                voidUntil = now + Self.voidPatience
            }
        }
        if let sent = posting, let until = sent.hidesUntil, until <= now {
            posting?.hidesUntil = nil
            prediction.leaveOut(sent.number)
        }
        if let posting, posting.isSent, posting.until <= now {
            answer(.failure(.silence), at: now)
        }
    }

    /// The end of an action that was not told yet.
    package mutating func nextEnd() -> End? { ends.isEmpty ? nil : ends.removeFirst() }

    // MARK: What the server shows

    /// Takes the description of the session.
    package mutating func describe(
        _ result: Result<ClientAnswer, MirrorProblem>, at now: Duration
    ) {
        feed.describe(result, at: now)
        foresee(anew: true)
        giveUpLost()
    }

    /// The stream has begun.
    package mutating func open(at now: Duration) { feed.open(at: now) }

    /// Takes what comes on the stream.
    package mutating func read(_ bytes: [UInt8], at now: Duration) {
        feed.read(bytes, at: now)
        while let news = feed.nextNews(at: now) {
            switch news {
            case .state(let json, let token):
                foresee()
                do throws(DecodingFailure) {
                    let state = try StateDecoder().decode(M.State.self, from: json)
                    prediction.confirm(state, at: token)
                } catch {
                    feed.refuse(MirrorProblem("unreadable-state", error.detail))
                }
            case .outOfScope(let token): prediction.confirm(nil, at: token)
            case .version(let token): prediction.confirm(at: token)
            }
        }
        giveUpLost()
        endKept()
    }

    /// The stream has come to its end, or was refused.
    package mutating func end(_ problem: MirrorProblem?, at now: Duration) {
        feed.end(problem, at: now)
        giveUpLost()
    }

    private mutating func giveUpLost() {
        if case .lost(let problem) = status { giveUp(problem) }
    }

    /// Foretells what the server allows: where it shows what the reducer is of, and both are of one
    /// schema.
    private mutating func foresee(anew: Bool = false) {
        guard let description = feed.description else { return }
        let isKnown = description.sees == M.reduces && description.schema == M.schema
        guard anew || isKnown != (prediction.foresight != nil) else { return }
        prediction.foresight = isKnown ? description.foresight() : nil
    }

    // MARK: What the server answers

    /// Takes the answer to the action that was sent.
    package mutating func answer(_ result: Result<ClientAnswer, MirrorProblem>, at now: Duration) {
        guard let number = posting?.number, posting?.isSent == true else { return }
        guard case .success(let answer) = result, (200..<300).contains(answer.status) else {
            return retry(number, MirrorProblem(result), try? result.get(), at: now)
        }
        posting = nil
        failures = 0
        let root = try? JSONValue(parsing: answer.body.span)
        guard answer.status == 200, root?["dropped"]?.bool != true,
            let token = root?["token"]?.string, let kept = ClientToken(token)
        else { return forget(number, .success(nil), answer, at: now) }
        let isChange = root?["changed"]?.bool == true
        if isChange {
            self.kept.append((number, kept))
        } else {
            ends.append((number, .success(token)))
            voidUntil = now + Self.voidPatience
        }
        prediction.keep(number, as: kept, isChange: isChange)
        endKept()
    }

    /// Sends an action again, or gives it up.
    private mutating func retry(
        _ number: Int, _ problem: MirrorProblem, _ answer: ClientAnswer?, at now: Duration
    ) {
        let isInDoubt = problem.leavesDoubt || posting?.isInDoubt == true
        switch problem.reaction {
        case .again:
            let until = now + feed.pause(problem, after: failures)
            prediction.mark(number, isSent: isInDoubt)
            posting?.isInDoubt = isInDoubt
            posting?.isSent = false
            posting?.until = until
            if !isInDoubt { posting?.hidesUntil = nil }
            failures += 1
        case .giveUp:
            posting = nil
            failures = 0
            // What was refused before the key was looked up may have been kept at an earlier attempt.
            let end =
                isInDoubt && !problem.speaksOfKey ? MirrorProblem(unknownFor: problem) : problem
            forget(number, .failure(end), answer, at: now)
        case .lose:
            feed.lose(problem)
            giveUp(problem)
        }
    }

    /// - Parameter answer: its tag is that of the state by which the server has judged.
    private mutating func forget(
        _ number: Int, _ result: Result<String?, MirrorProblem>, _ answer: ClientAnswer?,
        at now: Duration
    ) {
        let tag = answer?.fields["etag"]?.split(separator: "\"").last.map(String.init)
        voidUntil = now + Self.voidPatience
        for gone in prediction.remove(number, at: tag.flatMap { ClientToken($0) }) {
            let problem = MirrorProblem(
                "names-what-is-not", "It names what an action would have made that was refused.")
            ends.append((gone, gone == number ? result : .failure(problem)))
        }
        endKept()
    }

    /// Tells the ends of actions that are in what is shown.
    private mutating func endKept() {
        guard let shown = prediction.token else { return }
        kept.removeAll { action in
            guard shown.includes(action.token) else { return false }
            ends.append((action.number, .success(action.token.description)))
            return true
        }
    }

    private mutating func giveUp(_ problem: MirrorProblem) {
        posting = nil
        failures = 0
        kept = []
        ends += prediction.removeAll().map { ($0, .failure(problem)) }
    }
}

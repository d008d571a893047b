import Bytes
package import ClientWire
package import Redux
package import StateCoding

/// A client of one session, without its sockets and clocks: what comes goes in with its time, and what
/// is to be sent is asked for.
///
///     while let demand = machine.next(at: now) { … }          // and again at `machine.deadline`
///
/// Actions are sent in their order, one request after the other: what waits meanwhile is the next one's
/// batch. Each request has a key of its own: one whose answer was lost is sent again with the same key,
/// and its actions are kept once.
package struct MirrorMachine<M: Model>: Sendable {
    private struct Posting {
        /// Of its actions, which all are kept, or none.
        let numbers: [Int]
        /// For so long its answer is waited for; or from then on it is sent again.
        var until: Duration
        var isSent: Bool
        /// The server may have them by an attempt whose answer was lost.
        var isInDoubt = false
        /// Nil once others' states are shown, whether they are in them or not.
        var hidesUntil: Duration?
    }

    /// For so long what was refused is shown, where the state by which it was does not come.
    static var voidPatience: Duration { .seconds(1) }
    /// For so long an action may hold back the states of others: a quick answer to it is worth more.
    static var doubtPatience: Duration { .seconds(15) }
    /// The most actions that wait.
    package static var pendingLimit: Int { 1_000 }
    /// The most actions of one request.
    static var batchLimit: Int { 100 }

    package private(set) var prediction: Prediction<M>
    private var feed: SessionFeed
    private let mark: String
    /// Of what is sent, in a row.
    private var failures = 0
    private var posting: Posting?
    /// The most actions of the next request: half of those that were refused together, so that in the end
    /// the one that is at fault is refused alone.
    private var batchCount = MirrorMachine.batchLimit
    /// When actions that have no part in the state are not shown any more, whatever comes.
    private var voidUntil: Duration?

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
        prediction.pending.count { !$0.isVoid }
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
        prediction.remove { $0.stage == .waiting }
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
        guard !status.isStopped, posting.map({ !$0.isSent && $0.until <= now }) ?? true else {
            return nil
        }
        let again = posting?.isInDoubt == true ? posting : nil
        let (numbers, json) = prediction.send(again?.numbers, upTo: batchCount)
        guard let first = numbers.first else { return nil }
        posting = Posting(
            numbers: numbers, until: now + SessionFeed.patience, isSent: true,
            isInDoubt: again != nil,
            hidesUntil: again == nil ? now + Self.doubtPatience : again?.hidesUntil)
        var all = fields
        all["Idempotency-Key"] = "\"\(mark)-\(first)-\(numbers.count)\""
        return .post(.posting(json, to: feed.session, fields: all))
    }

    /// The time of the next `next` where nothing comes before.
    package var deadline: Duration? {
        guard let ofFeed = feed.deadline else { return nil }
        return min(
            ofFeed, posting?.until ?? ofFeed, posting?.hidesUntil ?? ofFeed, voidUntil ?? ofFeed)
    }

    private mutating func expire(at now: Duration) {
        if case .lost(let problem) = status { giveUp(problem) }
        if let until = voidUntil, until <= now {
            // A stream that is not there brings it with the first event.
            if feed.isOpen {
                voidUntil = nil
                // The server shows a version in which nothing has changed to nobody.
                prediction.remove(\.isVoid)
            } else {
                voidUntil = now + Self.voidPatience
            }
        }
        if let sent = posting, let until = sent.hidesUntil, until <= now {
            posting?.hidesUntil = nil
            prediction.leaveOut(sent.numbers)
        }
        if let posting, posting.isSent, posting.until <= now {
            answer(.failure(.silence), at: now)
        }
    }

    /// The end of an action that was not told yet.
    package mutating func nextEnd() -> Prediction<M>.End? { prediction.nextEnd() }

    // MARK: What the server shows

    /// Takes the description of the session.
    package mutating func describe(
        _ result: Result<ClientAnswer, MirrorProblem>, at now: Duration
    ) {
        feed.describe(result, at: now)
        if let token = feed.description.flatMap({ Token($0.token) }) {
            prediction.enter(token.epoch)
        }
        foresee(anew: true)
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
    }

    /// The stream has come to its end, or was refused.
    package mutating func end(_ problem: MirrorProblem?, at now: Duration) {
        feed.end(problem, at: now)
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

    /// Takes the answer to the actions that were sent.
    package mutating func answer(_ result: Result<ClientAnswer, MirrorProblem>, at now: Duration) {
        guard let sent = posting, sent.isSent else { return }
        guard case .success(let answer) = result, (200..<300).contains(answer.status),
            let outcomes = Self.outcomes(in: answer), outcomes.count == sent.numbers.count
        else { return retry(sent, MirrorProblem(result), try? result.get(), at: now) }
        posting = nil
        failures = 0
        batchCount = min(batchCount * 2, Self.batchLimit)
        let told = Array(zip(sent.numbers, outcomes))
        prediction.keep(told)
        for (number, outcome) in told {
            switch outcome {
            case .kept(let token):
                // Of which epoch the server is now, the description says.
                if let shown = feed.lastToken, shown.epoch != token.epoch { resume(at: now) }
            case .void: voidUntil = now + Self.voidPatience
            default: forget(number, .success(nil), answer, at: now)
            }
        }
    }

    /// What became of each action: nil where it is no entry. Nil where the answer is none of a server.
    private static func outcomes(in answer: ClientAnswer) -> [Prediction<M>.Pending.Stage?]? {
        guard let root = try? JSONValue(parsing: answer.body.span),
            let last = root["token"]?.string.flatMap({ Token($0) })
        else { return nil }
        return (root["results"]?.elements ?? [root]).map { result in
            guard result["dropped"]?.bool != true, result["delayed"]?.bool != true,
                let version = result["version"]?.integer.flatMap({ UInt64(exactly: $0) })
            else { return nil }
            let token = Token(epoch: last.epoch, version: version)
            return result["changed"]?.bool == true ? .kept(token) : .void(token)
        }
    }

    /// Sends actions again, or gives them up.
    private mutating func retry(
        _ sent: Posting, _ problem: MirrorProblem, _ answer: ClientAnswer?, at now: Duration
    ) {
        let isInDoubt = problem.leavesDoubt || sent.isInDoubt
        // What was refused before the key was looked up may have been kept at an earlier attempt.
        let isUnknown = isInDoubt && !problem.speaksOfKey
        posting = nil
        switch problem.reaction {
        case .again:
            posting = Posting(
                numbers: sent.numbers, until: now + feed.pause(problem, after: failures),
                isSent: false, isInDoubt: isInDoubt, hidesUntil: isInDoubt ? sent.hidesUntil : nil)
            failures += 1
            if !isInDoubt { divide(sent) }
        case .giveUp where sent.numbers.count > 1 && problem.isOfActions && !isUnknown:
            divide(sent)
        case .giveUp:
            failures = 0
            let end = isUnknown ? MirrorProblem(unknownFor: problem) : problem
            for number in sent.numbers { forget(number, .failure(end), answer, at: now) }
        case .lose: feed.lose(problem)
        }
    }

    /// None of a batch was kept: halves of it may be, or tell which action is at fault.
    private mutating func divide(_ sent: Posting) {
        if sent.numbers.count > 1 { batchCount = sent.numbers.count / 2 }
        prediction.takeBack(sent.numbers)
    }

    /// - Parameter answer: its tag is that of the state by which the server has judged.
    private mutating func forget(
        _ number: Int, _ result: Result<String?, MirrorProblem>, _ answer: ClientAnswer?,
        at now: Duration
    ) {
        let tag = answer?.fields["etag"]?.split(separator: "\"").last.map(String.init)
        voidUntil = now + Self.voidPatience
        prediction.end(number, as: result, at: tag.flatMap { Token($0) })
    }

    private mutating func giveUp(_ problem: MirrorProblem) {
        posting = nil
        failures = 0
        prediction.endAll(problem)
    }
}

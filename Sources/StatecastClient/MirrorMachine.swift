import Bytes
package import ClientWire
import HTTPMessages
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
    /// A request to be sent now. What comes of an earlier one of its kind is not listened to any more.
    package enum Demand: Sendable {
        case describe(ClientRequest)
        case watch(ClientRequest)
        case post(ClientRequest)

        package var request: ClientRequest {
            switch self {
            case .describe(let request), .watch(let request), .post(let request): request
            }
        }
    }

    /// The state of the connection on which the server shows what there is.
    private enum Line {
        /// Nobody is asked before this time.
        case rests(until: Duration)
        case asks(since: Duration)
        case open(heard: Duration)
    }

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

    /// The times after which a client does not wait any longer.
    package static var patience: Duration { .seconds(30) }
    /// The server says something every 15 seconds.
    package static var silence: Duration { .seconds(40) }
    /// For so long what was refused is shown, where the state by which it was does not come.
    static var voidPatience: Duration { .seconds(1) }
    /// For so long an action may hold back the states of others: a quick answer to it is worth more.
    static var doubtPatience: Duration { .seconds(15) }
    /// The most actions that wait.
    package static var pendingLimit: Int { 1_000 }

    package private(set) var prediction: Prediction<M>
    package private(set) var status = MirrorStatus.connecting
    /// Where the session is: `http://localhost:8080/list/sessions/home`.
    private let session: String
    /// Behind `?` where a view is mirrored: `view=item&id=17`.
    private let query: String
    /// Sent along with each request.
    package var fields: [String: String]
    private let mark: String
    private var random: SplitMix
    private var description: SessionDescription?
    private var line = Line.rests(until: .zero)
    private var document = ClientDocument()
    private var events = EventStreamReader()
    /// The id behind which the next stream goes on.
    private var lastID: String?
    /// The pause after a first failure, in milliseconds.
    private var leastPause = 500
    /// Failures in a row: of the stream, and of the action that is sent.
    private var failures = (watching: 0, posting: 0)
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
        self.session = session
        self.query = query
        self.fields = fields
        random = SplitMix(seed: seed)
        mark = String(random.next(), radix: 36)
        prediction = try Prediction(mark: mark)
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
        if status.isStopped {
            forgetShown()
            status = .connecting
        }
        description = nil
        failures.watching = 0
        line = .rests(until: now)
        if posting?.isSent == false { posting?.until = now }
    }

    /// Goes on as somebody else, who has sent nothing and seen nothing.
    package mutating func become(_ fields: [String: String], at now: Duration) {
        self.fields = fields
        giveUp(MirrorProblem("stopped", "Somebody else sends from now on."))
        prediction.forget()
        forgetShown()
        status = .connecting
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
    package mutating func next(at now: Duration) -> Demand? {
        expire(at: now)
        if case .rests(let until) = line, until <= now, !status.isStopped {
            line = .asks(since: now)
            guard description != nil else {
                return .describe(ClientRequest("GET", session, fields: fields))
            }
            events = EventStreamReader()
            return .watch(
                .events(
                    of: session, query: "?patch=json-patch" + (query.isEmpty ? "" : "&" + query),
                    behind: lastID, fields: fields))
        }
        return nextPost(at: now)
    }

    private mutating func nextPost(at now: Duration) -> Demand? {
        guard !status.isStopped, posting.map({ !$0.isSent && $0.until <= now }) ?? true,
            let next = prediction.pending.first(where: {
                posting == nil ? $0.stage == .waiting : $0.number == posting?.number
            })
        else { return nil }
        posting = Posting(
            number: next.number, until: now + Self.patience, isSent: true,
            isInDoubt: posting?.isInDoubt ?? false,
            hidesUntil: posting?.isInDoubt == true
                ? posting?.hidesUntil : now + Self.doubtPatience)
        prediction.mark(next.number, isSent: true)
        var all = fields
        all["Idempotency-Key"] = "\"\(mark)-\(next.number)\""
        return .post(.posting(next.json, to: session, fields: all))
    }

    /// The time of the next `next` where nothing comes before.
    package var deadline: Duration? {
        guard !status.isStopped else { return nil }
        let ofLine: Duration =
            switch line {
            case .rests(let until): until
            case .asks(let since): since + Self.patience
            case .open(let heard): heard + Self.silence
            }
        return min(
            ofLine, posting?.until ?? ofLine, posting?.hidesUntil ?? ofLine, voidUntil ?? ofLine)
    }

    private mutating func expire(at now: Duration) {
        let problem = MirrorProblem("no-answer", "The server has not said anything for too long.")
        switch line {
        case .asks(let since) where since + Self.patience <= now: hangUp(problem, at: now)
        case .open(let heard) where heard + Self.silence <= now: hangUp(problem, at: now)
        default: break
        }
        if let until = voidUntil, until <= now {
            // A stream that is not there brings it with the first event.
            if case .open = line {
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
            answer(.failure(problem), at: now)
        }
    }

    /// The end of an action that was not told yet.
    package mutating func nextEnd() -> End? { ends.isEmpty ? nil : ends.removeFirst() }

    // MARK: What the server shows

    /// Takes the description of the session.
    package mutating func describe(
        _ result: Result<ClientAnswer, MirrorProblem>, at now: Duration
    ) {
        guard description == nil, case .asks = line else { return }
        guard case .success(let answer) = result, answer.status == 200 else {
            return hangUp(MirrorProblem(result), at: now)
        }
        do throws(DecodingFailure) {
            description = try StateDecoder().decode(SessionDescription.self, from: answer.body)
        } catch {
            return refuse(MirrorProblem("unreadable-state", "The description: \(error.detail)"))
        }
        foresee(anew: true)
        line = .rests(until: now)
    }

    /// The stream has begun.
    package mutating func open(at now: Duration) {
        line = .open(heard: now)
    }

    /// Takes what comes on the stream.
    package mutating func read(_ bytes: [UInt8], at now: Duration) {
        guard case .open = line else { return }
        line = .open(heard: now)
        var blocks: [EventStreamReader.Block] = []
        do {
            try events.read(bytes.span) { blocks.append($0) }
            leastPause = events.retryMilliseconds ?? leastPause
            for block in blocks { try take(block, at: now) }
        } catch {
            // What is shown stays, and the next stream begins with a snapshot.
            forgetShown()
            hangUp(MirrorProblem("not-http", "\(error)"), at: now)
        }
        endKept()
    }

    /// The stream has come to its end, or was refused. A server ends each after some minutes: the next
    /// one goes on after a short pause.
    package mutating func end(_ problem: MirrorProblem?, at now: Duration) {
        if case .rests = line { return }
        let ended = MirrorProblem("no-answer", "The stream has ended.")
        guard problem == nil, failures.watching == 0 else {
            return hangUp(problem ?? ended, at: now)
        }
        failures.watching = 1
        description = nil
        line = .rests(until: now + pause(ended, after: 0))
    }

    private mutating func take(_ block: EventStreamReader.Block, at now: Duration) throws {
        guard case .open = line, !status.isStopped, block.id != nil || block.event != nil else {
            return
        }
        lastID = block.id ?? lastID
        let change = try block.event.map { try document.apply($0.name, $0.data, id: $0.lastID) }
        let token = document.token.flatMap { ClientToken($0) }
        if case .ended = change {
        } else {
            status = .live
            failures.watching = 0
        }
        switch change {
        case .ended("unauthorized"):
            refuse(MirrorProblem("unauthenticated", "The server asks who this is.", status: 401))
        case .ended("end"):
            lose(MirrorProblem("session-ended", "The session has ended.", status: 410))
        case .changed:
            guard let json = document.json, let token else { return }
            if block.event?.name == "snapshot" { description?.take(document) }
            foresee()
            do throws(DecodingFailure) {
                prediction.confirm(try StateDecoder().decode(M.State.self, from: json), at: token)
            } catch {
                refuse(MirrorProblem("unreadable-state", error.detail))
            }
        case .ended(let name):
            hangUp(MirrorProblem(name, "The server has no room now.", status: 503), at: now)
        case .outOfScope: if let token { prediction.confirm(nil, at: token) }
        case nil:
            if let id = lastID.flatMap({ ClientToken($0) }) { prediction.confirm(at: id) }
        case .some(.none): break
        }
    }

    private mutating func forgetShown() {
        document = ClientDocument()
        lastID = nil
    }

    /// Foretells what the server allows: where it shows what the reducer is of, and both are of one
    /// schema.
    private mutating func foresee(anew: Bool = false) {
        guard let description else { return }
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
        failures.posting = 0
        let root = try? JSONDocument(parsing: answer.body.span).root
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
            let until = now + pause(problem, after: failures.posting)
            prediction.mark(number, isSent: isInDoubt)
            posting?.isInDoubt = isInDoubt
            posting?.isSent = false
            posting?.until = until
            if !isInDoubt { posting?.hidesUntil = nil }
            failures.posting += 1
        case .giveUp:
            posting = nil
            failures.posting = 0
            // What was refused before the key was looked up may have been kept at an earlier attempt.
            let end =
                isInDoubt && !problem.speaksOfKey ? MirrorProblem(unknownFor: problem) : problem
            forget(number, .failure(end), answer, at: now)
        case .lose: lose(problem)
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

    // MARK: Failures

    private mutating func hangUp(_ problem: MirrorProblem, at now: Duration) {
        switch problem.reaction {
        case .again: break
        case .lose: return lose(problem)
        case .giveUp where problem.isOfClient: return refuse(problem)
        case .giveUp: break
        }
        // Another build may be there by then: a stream that goes on does not say so.
        description = nil
        status = .away(problem)
        line = .rests(until: now + pause(problem, after: failures.watching))
        failures.watching += 1
    }

    private mutating func refuse(_ problem: MirrorProblem) { status = .refused(problem) }

    private mutating func lose(_ problem: MirrorProblem) {
        status = .lost(problem)
        giveUp(problem)
    }

    private mutating func giveUp(_ problem: MirrorProblem) {
        posting = nil
        failures.posting = 0
        kept = []
        ends += prediction.removeAll().map { ($0, .failure(problem)) }
    }

    /// A random part of a pause that doubles with each failure, so that many clients do not come back at
    /// once; never less than the server asks for.
    private mutating func pause(_ problem: MirrorProblem, after failures: Int) -> Duration {
        let ceiling = min(20_000, min(max(1, leastPause), 20_000) << min(failures, 10))
        let pause = Int.random(in: ceiling / 4...ceiling, using: &random)
        return max(.milliseconds(pause), problem.pause ?? .zero)
    }
}

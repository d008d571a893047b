import Bytes
import HTTPMessages
package import StateCoding

/// A client that follows one session, without its sockets and clocks, and without a model: what comes goes
/// in with its time, what is to be asked is asked for, and what the server shows is handed out.
///
///     while let demand = feed.next(at: now) { … }          // and again at `feed.deadline`
///     feed.read(bytes, at: now)
///     while let news = feed.nextNews(at: now) { … }
///
/// Where a stream breaks, another one goes on behind its last id: nothing is missed, nothing told twice.
package struct SessionFeed: Sendable {
    /// A request to be sent now. What comes of an earlier one of its kind is not listened to any more.
    package enum Demand: Sendable {
        case describe(ClientRequest)
        case watch(ClientRequest)
        /// Of a mirror.
        case post(ClientRequest)
    }

    /// What the server shows that it has not shown before.
    package enum News: Sendable {
        /// The state, or the part that is asked for: JSON.
        case state([UInt8], Token)
        /// The part has left the state.
        case outOfScope(Token)
        /// What is shown has not changed; the version may have moved.
        case version(Token)
    }

    /// The state of the connection on which the server shows what there is.
    private enum Line {
        /// Nobody is asked before this time.
        case rests(until: Duration)
        case asks(since: Duration)
        case open(heard: Duration)
    }

    /// The times after which a client does not wait any longer.
    package static var patience: Duration { .seconds(30) }
    /// The server says something every 15 seconds.
    package static var silence: Duration { .seconds(40) }

    package private(set) var status = MirrorStatus.connecting
    /// Where the session is: `http://localhost:8080/list/sessions/home`.
    package let session: String
    /// Behind `?` where a part or a view is followed: `view=item&id=17`.
    private let query: String
    /// What is shown is told; or the versions alone, and no state is kept.
    private let showsState: Bool
    /// Sent along with each request.
    package var fields: [String: String]
    package private(set) var description: SessionDescription?
    private var line = Line.rests(until: .zero)
    private var document = ClientDocument()
    private var events = EventStreamReader()
    private var blocks: ArraySlice<EventStreamReader.Block> = []
    /// The id behind which the next stream goes on.
    private var lastID: String?
    /// The pause after a first failure, in milliseconds.
    private var leastPause = 500
    /// In a row: a stream that has lasted for five seconds ends it.
    private var failures = 0
    private var opened = Duration.zero
    private var random: SplitMix

    /// A client that has asked for nothing yet.
    ///
    /// - Parameters:
    ///   - token: the versions behind it are told, and no states.
    ///   - seed: random; of it come the pauses.
    package init(
        of session: String, query: String = "", behind token: Token? = nil,
        fields: [String: String] = [:], seed: UInt64
    ) {
        self.session = session
        self.query = query
        self.fields = fields
        (showsState, lastID) = (token == nil, token?.description)
        random = SplitMix(seed: seed)
    }

    /// The stream is there.
    package var isOpen: Bool { if case .open = line { true } else { false } }

    /// Asks anew who this is and what there is: after a refusal or a loss, or where a pause would have to end
    /// first.
    package mutating func resume(at now: Duration) {
        if status.isStopped { forget() }
        description = nil
        failures = 0
        line = .rests(until: now)
    }

    /// Begins anew, with nothing that was shown.
    package mutating func forget() {
        status = .connecting
        document = ClientDocument()
        lastID = nil
    }

    // MARK: What is to be done

    /// The next request; nil where none is to be sent now.
    package mutating func next(at now: Duration) -> Demand? {
        expire(at: now)
        guard case .rests(let until) = line, until <= now, !status.isStopped else { return nil }
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

    /// The time of the next `next` where nothing comes before.
    package var deadline: Duration? {
        guard !status.isStopped else { return nil }
        return switch line {
        case .rests(let until): until
        case .asks(let since): since + Self.patience
        case .open(let heard): heard + Self.silence
        }
    }

    private mutating func expire(at now: Duration) {
        if case .rests = line { return }
        guard let deadline, deadline <= now else { return }
        hangUp(.silence, at: now)
    }

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
            // A portal's page says nothing of a session; JSON of another form does.
            guard (try? JSONValue(parsing: answer.body.span)) != nil else {
                return hangUp(MirrorProblem(answer), at: now)
            }
            return refuse(MirrorProblem("unreadable-state", "The description: \(error.detail)"))
        }
        line = .rests(until: now)
    }

    /// The stream has begun.
    package mutating func open(at now: Duration) {
        guard case .asks = line else { return }
        (line, opened) = (.open(heard: now), now)
    }

    /// Takes what comes on the stream.
    package mutating func read(_ bytes: [UInt8], at now: Duration) {
        guard isOpen else { return }
        line = .open(heard: now)
        var found: [EventStreamReader.Block] = []
        do throws(EventStreamParser.LineTooLong) {
            try events.read(bytes.span) { found.append($0) }
            leastPause = events.retryMilliseconds ?? leastPause
            blocks += found
        } catch {
            begin(anew: "A line has more than \(error.limit) bytes.", at: now)
        }
    }

    /// The stream has come to its end, or was refused. A server ends each after some minutes: the next
    /// one goes on after a short pause.
    package mutating func end(_ problem: MirrorProblem?, at now: Duration) {
        if case .rests = line { return }
        forgetFailures(at: now)
        let ended = MirrorProblem("no-answer", "The stream has ended.")
        guard problem == nil, failures == 0 else { return hangUp(problem ?? ended, at: now) }
        failures = 1
        description = nil
        line = .rests(until: now + pause(ended, after: 0))
    }

    /// What was read and not handed out yet; nil where there is nothing.
    package mutating func nextNews(at now: Duration) -> News? {
        while isOpen, !status.isStopped, let block = blocks.popFirst() {
            if let news = news(of: block, at: now) { return news }
        }
        blocks = []
        return nil
    }

    private mutating func news(of block: EventStreamReader.Block, at now: Duration) -> News? {
        guard block.id != nil || block.event != nil else { return nil }
        lastID = block.id ?? lastID
        if let event = block.event, ["busy", "unauthorized", "end"].contains(event.name) {
            end(by: event.name, at: now)
            return nil
        }
        guard let event = block.event, showsState else {
            status = .live
            document.move(to: lastID)
            return lastToken.map { .version($0) }
        }
        let change: ClientDocument.Change
        do throws(ClientDocument.Failure) {
            change = try document.apply(event.name, event.data, id: event.lastID)
        } catch {
            begin(anew: "\(error)", at: now)
            return nil
        }
        status = .live
        guard change != .none else { return lastToken.map { .version($0) } }
        guard let token = document.token.flatMap({ Token($0) }) else { return nil }
        if event.name == "snapshot" { description?.take(document) }
        return document.json.map { .state($0, token) } ?? .outOfScope(token)
    }

    /// The newest that the server has shown.
    package var lastToken: Token? { lastID.flatMap { Token($0) } }

    private mutating func forgetFailures(at now: Duration) {
        if isOpen, now - opened >= .seconds(5) { failures = 0 }
    }

    // MARK: Failures

    private mutating func end(by event: String, at now: Duration) {
        switch event {
        case "unauthorized":
            refuse(MirrorProblem("unauthenticated", "The server asks who this is.", status: 401))
        case "end": lose(MirrorProblem("session-ended", "The session has ended.", status: 410))
        default:
            hangUp(MirrorProblem(event, "The server has no room now.", status: 503), at: now)
        }
    }

    /// What is shown stays, and the next stream begins with a snapshot.
    private mutating func begin(anew detail: String, at now: Duration) {
        forget()
        hangUp(MirrorProblem("not-http", detail), at: now)
    }

    private mutating func hangUp(_ problem: MirrorProblem, at now: Duration) {
        forgetFailures(at: now)
        switch problem.reaction {
        case .again: break
        case .lose: return lose(problem)
        case .giveUp where problem.isOfClient: return refuse(problem)
        case .giveUp: break
        }
        // Another build may be there by then: a stream that goes on does not say so.
        description = nil
        status = .away(problem)
        line = .rests(until: now + pause(problem, after: failures))
        failures += 1
    }

    package mutating func refuse(_ problem: MirrorProblem) { stop(as: .refused(problem)) }

    package mutating func lose(_ problem: MirrorProblem) { stop(as: .lost(problem)) }

    /// Nothing goes on before `resume`: what a stream that is still there brings is not heard.
    private mutating func stop(as status: MirrorStatus) {
        self.status = status
        line = .rests(until: .zero)
    }

    /// The pause after so many failures of another kind.
    package mutating func pause(_ problem: MirrorProblem, after failures: Int) -> Duration {
        problem.delay(after: failures, atLeast: leastPause, using: &random)
    }
}

import Bytes
import HTTPMessages
import HTTPServer
import HTTPTypes
import Journaling
import Redux
import Sessions
import Sockets
import StateCoding

/// What a handle dispatches to a session that another server has, as it is sent there:
///
///     POST /list/sessions/7/actions
///     {"actions":["{\"type\":\"answered\",…}"],"by":{"id":"alice","roles":[]},"key":"k1","isOfWork":false}
///
/// Its actions have their secrets, as what clients post has them on the same way.
struct SentDispatch: Codable {
    var actions: [String]
    var by: Principal?
    var key: String?
    /// The key is of a piece of work, of which a repeat may dispatch something else.
    var isOfWork: Bool
    /// The number of causes that lie in other sessions; nil where none do.
    var depth: UInt16?
}

/// What a handle asks of the server that has its session.
struct SentRequest {
    let method: String
    /// Behind the session's path: `/actions`.
    let resource: String
    var body: [UInt8] = []
    var hasKey = false
    /// The number of the reader that waits for it.
    var reader: UInt64?
    /// It may be sent again where the answer is lost.
    var isRepeatable: Bool { hasKey || method == "GET" }

    /// A session's request line.
    fileprivate func line(of name: SessionName) -> String {
        "\(method) \(name.innerMount)/sessions/\(name.id)\(resource)"
    }
}

/// What that server answers.
struct SentAnswer {
    /// 2xx; 0 where the answer is lost, and the request may be sent again.
    var status = 0
    var tag: String?
    var body: [UInt8] = []
}

extension SessionName {
    /// The path of an application as servers ask each other; 404 for clients where they have no other.
    static func innerPath(ofMount mount: String) -> String {
        (mount.first ?? "/" == "/" ? "" : "/cluster/") + mount
    }

    fileprivate var innerMount: String { Self.innerPath(ofMount: mount) }
}

/// What the session has decided.
enum SentOutcome: Codable {
    case accepted(first: UInt64, last: UInt64, changed: Bool)
    case dropped
    case delayed(milliseconds: Int64)
    case rejected(faults: [Rejection.Fault], kind: String, isOfLibrary: Bool, index: Int?)
}

extension SentOutcome {
    /// Throws what is told as a problem.
    init(_ result: Result<Outcome, SessionError>) throws(SessionError) {
        switch result {
        case .success(.accepted(let first, let last, let changed)):
            self = .accepted(first: first, last: last, changed: changed)
        case .success(.delayed(let duration)):
            self = .delayed(milliseconds: duration.nanoseconds / 1_000_000)
        case .success: self = .dropped
        case .failure(.rejected(let rejection, let index)):
            self = .rejected(
                faults: rejection.faults, kind: rejection.kind.rawValue,
                isOfLibrary: rejection.isOfLibrary, index: index)
        case .failure(let error): throw error
        }
    }

    /// Reads what the server has answered that has the session.
    init(_ answer: SentAnswer) throws(SessionError) {
        do throws(DecodingFailure) {
            self = try StateDecoder().decode(SentOutcome.self, from: answer.body)
        } catch {
            throw SessionError(.outcomeUnknown)
        }
    }

    var result: Result<Outcome, SessionError> {
        switch self {
        case .accepted(let first, let last, let changed):
            return .success(.accepted(first: first, last: last, changed: changed))
        case .dropped: return .success(.dropped)
        case .delayed(let milliseconds): return .success(.delayed(.milliseconds(milliseconds)))
        case .rejected(let faults, let kind, let isOfLibrary, let index):
            let kind = Rejection.Kind(rawValue: kind) ?? .invalid
            let rejection = Rejection(faults, kind: kind, isOfLibrary: isOfLibrary)
            return .failure(
                rejection.map { .rejected($0, index: index) } ?? SessionError(.outcomeUnknown))
        }
    }
}

extension SessionError {
    /// Another server has the session.
    var isElsewhere: Bool { self == SessionError(.sessionMoved) }

    /// The same as of a problem.
    func told(behind mayBeDone: Bool) -> SessionError {
        problem?.told(behind: mayBeDone) == .outcomeUnknown ? SessionError(.outcomeUnknown) : self
    }

    /// What another server answers by a problem document.
    fileprivate init(_ status: Int, _ body: [UInt8]) {
        let problem = try? JSONValue(parsing: body.span)
        let code = problem?["type"]?.string?.split(separator: "/").last.map { String($0) }
        switch code {
        case ProblemDetails.sessionEnded.code: self = .ended
        case ProblemDetails.sessionNotFound.code: self = .notFound
        // The journal may be there for this server.
        case "journal-unavailable": self.init(.busy)
        default:
            self.init(
                ProblemDetails(
                    HTTPResponse.Status(code: status), code: code ?? ProblemDetails.busy.code,
                    detail: problem?["detail"]?.string))
        }
    }
}

extension SessionRegistry {
    /// Sends a request to the server that has a session; nil: none has it any more, or it may be sent once
    /// more.
    func send(
        _ sent: SentRequest, to name: SessionName, after pause: Duration,
        on loop: isolated EventLoop, _ reply: @escaping SessionDirectory.Reply<SentAnswer?>
    ) {
        guard let peers else { return reply(.failure(SessionError(.sessionMoved))) }
        let (journal, connections) = (context.sessions.journal, peers.connections)
        // The session has to know its keys before it is asked.
        let key = sent.hasKey ? "Idempotency-Key: in-the-body\r\n" : ""
        let message = ClusterKeys.own(sent.line(of: name), key, body: sent.body)
        // One that waits for another state is long under way, as a stream is.
        let item = sent.reader == nil ? Accounts.Item.routes : .streams
        guard connections.enter(item, message.count, of: 0, share: 1) else {
            return reply(.failure(SessionError(.busy)))
        }
        Task.immediate {
            var (answer, isLost) = (SentAnswer(), false)
            func end(_ result: Result<SentAnswer?, SessionError>) {
                connections.leave(item, message.count + answer.body.count, of: 0)
                reply(result)
            }
            if pause > .zero { await self.pause(pause, on: loop) }
            var holder = peers.holder(of: name)
            if holder == nil { holder = await journal.address(of: name) }
            guard let holder else { return end(.success(nil)) }
            let request = PeerRequest(silence: Peers.answerDuration, by: connections) {
                switch $0 {
                case .began(let code, let tag): (answer.status, answer.tag) = (code, tag)
                case .body(let bytes):
                    if !isLost, connections.hold(bytes.count) { return answer.body += bytes }
                    // Others may have the room until the rest has come.
                    isLost = true
                    _ = connections.hold(-answer.body.count)
                    answer.body = []
                case .ended(let isWhole):
                    if let reader = sent.reader,
                        self.context.feeds.requests.removeValue(forKey: reader) == nil
                    {
                        // Nobody reads any more.
                        return end(.success(nil))
                    }
                    // No server answers so, and no problem may: behind a 304 stands no body.
                    isLost = isLost || !isWhole || 300..<400 ~= answer.status
                    if isLost, answer.status != 421 { answer.status = 0 }
                    peers.note(200..<300 ~= answer.status ? holder : nil, of: name)
                    end(Self.result(of: sent, answer))
                }
            }
            if let reader = sent.reader {
                guard self.context.shared.directory.isUnderWay(reader) else {
                    return end(.success(nil))
                }
                self.context.feeds.requests[reader] = request
            }
            request.begin(message, to: holder, on: loop)
        }
    }

    private static func result(
        of sent: SentRequest, _ answer: SentAnswer
    ) -> Result<SentAnswer?, SessionError> {
        switch answer.status {
        case 421: .success(nil)
        case 0 where !sent.isRepeatable: .failure(SessionError(.outcomeUnknown))
        case 0, 200..<300: .success(answer)
        case 407: .failure(SessionError(.sessionMoved))
        default: .failure(SessionError(answer.status, answer.body))
        }
    }
}

// MARK: All servers

/// What a server has all others do, and waits for: `POST /livez`.
enum ServerNews: Codable {
    /// They look what has become of people.
    case people
    /// They end the streams and held requests of a principal, in one session or in all.
    case streams(of: String, session: String?)
}

extension SessionRegistry {
    /// - Parameter told: whether there are others; once all have done it, or not answered in time.
    func tell(
        _ news: ServerNews, on loop: isolated EventLoop, _ told: @escaping @Sendable (Bool) -> Void
    ) {
        guard let peers, let body = try? StateEncoder().bytes(of: news) else { return told(false) }
        Task.immediate {
            _ = await peers.ask("POST /livez", body: body, at: others, on: loop)
            told(true)
        }
    }
}

extension Router {
    /// Does what another server asks all for.
    func takeNews(
        _ request: SessionRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let (exchange, shared) = (request.exchange, shared)
        let news = try decode(ServerNews.self, request, in: bytes)
        Task.immediate {
            switch news {
            case .people: for follow in shared.follows { await follow() }
            case .streams(let principal, let session):
                let name = session.flatMap { SessionName($0) }
                // One that is none is not all.
                guard session == nil || name != nil else { break }
                await shared.directory.closeStreams(of: principal, in: name)
            }
            exchange.respond(.ok, on: loop) { _ in }
        }
    }
}

// MARK: The server that has the session

/// A store that handles of other servers use.
protocol TakesDispatches {
    /// Writes the state with its secrets, away from all loops; nil where that cannot be written.
    var writing: @Sendable () async -> SharedBytes? { get }

    func submit(
        _ sent: SentDispatch, by hash: KeyedHash, to session: Session, _ performer: StepPerformer,
        on loop: isolated EventLoop,
        answered: @escaping (Result<Outcome, SessionError>) -> Void
    ) throws(ProblemDetails)
}

extension Router {
    /// Shows another server's handle the state of a session with its secrets: 204 where it has that already,
    /// at once or once it has waited for a change.
    func showToHandle(
        _ request: SessionRequest, _ session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let (exchange, query) = (request.exchange, Query(request.head.query, in: bytes))
        // Another build may not read it.
        guard query["schema"] == "\(session.store.schemaVersion)" else {
            return exchange.respond(.notAcceptable, on: loop) { _ in }
        }
        guard !session.isReplay, let known = query["behind"].flatMap({ Token($0) }),
            session.hasState(of: known)
        else { return try show(session, to: exchange, on: loop) }
        guard query["waits"] != nil else { return exchange.respond(.noContent, on: loop) { _ in } }
        try hold(exchange, behind: known, of: session, on: loop)
    }

    func show(
        _ session: Session, to exchange: Exchange, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        guard let store = session.actions as? any TakesDispatches else { throw .replay }
        let (feeds, token, write) = (registry.context.feeds, session.token, store.writing)
        let key = "\(registry.name(of: session)) \(token)"
        feeds.waiting[key, default: []].append(exchange)
        // Whoever asks before it is written has what the first one has.
        guard feeds.waiting[key]?.count == 1 else { return }
        Task.immediate {
            let body = await write()
            for exchange in feeds.waiting.removeValue(forKey: key) ?? [] {
                guard let body else {
                    exchange.respond(.notEncodable, on: loop)
                    continue
                }
                exchange.respond(body: body, on: loop) { writer in
                    writer.field("ETag", "\"\(token)\"")
                    writer.field("Content-Type", "application/json")
                }
            }
        }
    }

    /// Has a session decide about what another server's handle dispatches.
    func takeDispatch(
        _ request: SessionRequest, _ session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        guard let store = session.actions as? any TakesDispatches else { throw .replay }
        let (exchange, sent) = (request.exchange, try decode(SentDispatch.self, request, in: bytes))
        try store.submit(
            sent, by: context.journal.hash, to: session, registry.performer, on: loop
        ) { result in
            do {
                let body = try StateEncoder().bytes(of: SentOutcome(result))
                exchange.respond(.ok, on: loop) { writer in
                    writer.field("Content-Type", "application/json")
                    writer.body(body)
                }
            } catch {
                let error = error as? SessionError
                exchange.respond(error?.problem ?? .outcomeUnknown, on: loop)
            }
        }
    }
}

extension ApplicationStore: TakesDispatches {
    var writing: @Sendable () async -> SharedBytes? {
        let state = state
        return { @concurrent () async in
            (try? StateEncoder().openBytes(of: state)).map { SharedBytes($0) }
        }
    }

    func submit(
        _ sent: SentDispatch, by hash: KeyedHash, to session: Session, _ performer: StepPerformer,
        on loop: isolated EventLoop,
        answered: @escaping (Result<Outcome, SessionError>) -> Void
    ) throws(ProblemDetails) {
        let actions: HandledActions<App.Action>
        do throws(SessionError) {
            actions = try HandledActions(
                sent, context.definition.code.coder, batchLimit: performer.limits.batchCount,
                hash: hash)
        } catch {
            throw error.problem ?? .notEncodable
        }
        submit(actions, to: session, performer, on: loop, answered: answered)
    }

    /// Decides about what a handle dispatches, here or there.
    func submit(
        _ actions: HandledActions<App.Action>, to session: Session, _ performer: StepPerformer,
        on loop: isolated EventLoop,
        answered: @escaping (Result<Outcome, SessionError>) -> Void
    ) {
        let now = session.time(on: loop)
        performer.submit(
            actions.byteCount, key: actions.key, to: session, at: now, on: loop
        ) { (_, append, _) throws(Refusal) in
            try self.submit(actions, at: now, append)
        } answered: { result in
            answered(result.map(\.outcome).mapError { SessionError($0) })
        }
    }
}

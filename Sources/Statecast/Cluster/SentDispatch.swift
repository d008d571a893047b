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
    var depth: Int?
}

/// What the session has decided.
enum SentOutcome: Codable {
    struct Fault: Codable {
        let code, message: String
        let field: String?
    }

    case accepted(first: UInt64, last: UInt64, changed: Bool)
    case dropped
    case delayed(milliseconds: Int64)
    case rejected(faults: [Fault], kind: String, isOfLibrary: Bool, index: Int?)
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
                faults: rejection.faults.map {
                    Fault(code: $0.code, message: $0.message, field: $0.field)
                },
                kind: rejection.kind.rawValue, isOfLibrary: rejection.isOfLibrary, index: index)
        case .failure(let error): throw error
        }
    }

    var result: Result<Outcome, SessionError> {
        switch self {
        case .accepted(let first, let last, let changed):
            return .success(.accepted(first: first, last: last, changed: changed))
        case .dropped: return .success(.dropped)
        case .delayed(let milliseconds): return .success(.delayed(.milliseconds(milliseconds)))
        case .rejected(let faults, let kind, let isOfLibrary, let index):
            let rejection = Rejection(
                faults.map { ($0.code, $0.message, $0.field) },
                kind: Rejection.Kind(rawValue: kind) ?? .invalid, isOfLibrary: isOfLibrary)
            return .failure(
                rejection.map { .rejected($0, index: index) } ?? SessionError(.outcomeUnknown))
        }
    }
}

extension SessionError {
    /// Another server has the session.
    var isElsewhere: Bool { self == SessionError(.sessionMoved) }

    /// What another server answers by a problem document.
    fileprivate init(_ status: Int, _ body: [UInt8]) {
        let problem = try? JSONValue(parsing: body.span)
        let code = problem?["type"]?.string?.split(separator: "/").last.map { String($0) }
        switch code {
        case ProblemDetails.sessionEnded.code: self = .ended
        case ProblemDetails.sessionNotFound.code: self = .notFound
        default:
            self.init(
                ProblemDetails(
                    HTTPResponse.Status(code: status), code: code ?? ProblemDetails.busy.code,
                    detail: problem?["detail"]?.string,
                    retryAfterSeconds: status == 503 ? 1 : nil))
        }
    }
}

extension SessionRegistry {
    /// Sends a dispatch to the server that has its session; nil: none has it any more, or it may be sent
    /// once more.
    ///
    /// - Parameter hasKey: it is carried out once, however often it is sent.
    func send(
        _ dispatch: [UInt8], hasKey: Bool, to name: SessionName, after pause: Duration,
        on loop: isolated EventLoop, _ reply: @escaping SessionDirectory.Reply<SentOutcome?>
    ) {
        // No request reaches what is not served to clients.
        guard let peers, name.mount.first ?? "/" == "/" else {
            return reply(.failure(SessionError(.sessionMoved)))
        }
        guard peers.askingCount < Peers.askingLimit else {
            return reply(.failure(SessionError(.busy)))
        }
        let journal = context.sessions.journal
        peers.askingCount += 1
        Task.immediate {
            if pause > .zero { await self.pause(pause, on: loop) }
            let text = try? await journal.holder(of: name)
            peers.askingCount -= 1
            guard let holder = text.flatMap({ SocketAddress(parsing: $0) }), holder.host.isPrivate
            else { return reply(.success(nil)) }
            var (status, body): (Int, [UInt8]) = (0, [])
            let request = PeerRequest(silence: Peers.answerDuration, by: peers.connections) {
                switch $0 {
                case .began(let code, _): status = code
                case .body(let bytes): body += bytes
                case .ended(let isWhole):
                    reply(Self.answer(isWhole ? status : 0, body, hasKey: hasKey))
                }
            }
            // The session has to know its keys before it is asked.
            let key = hasKey ? "Idempotency-Key: in-the-body\r\n" : ""
            let length = "Content-Length: \(dispatch.count)\r\n"
            let message = ClusterKeys.own(
                "POST \(name.mount)/sessions/\(name.id)/actions",
                "Content-Type: application/json\r\n\(length)\(key)", body: dispatch)
            request.begin(message, to: holder, on: loop)
        }
    }

    /// - Parameter status: 0 where the answer is lost.
    private static func answer(
        _ status: Int, _ body: [UInt8], hasKey: Bool
    ) -> Result<SentOutcome?, SessionError> {
        switch status {
        case 421: .success(nil)
        case 0 where hasKey: .success(nil)
        case 0: .failure(SessionError(.outcomeUnknown))
        case 200:
            Result { () throws(DecodingFailure) in
                try StateDecoder().decode(SentOutcome.self, from: body)
            }.mapError { _ in SessionError(.outcomeUnknown) }.map { Optional($0) }
        case 407: .failure(SessionError(.sessionMoved))
        default: .failure(SessionError(status, body))
        }
    }
}

// MARK: The server that has the session

/// A store to which handles of other servers dispatch.
protocol TakesDispatches {
    func submit(
        _ sent: SentDispatch, by hash: KeyedHash, to session: Session, _ performer: StepPerformer,
        on loop: isolated EventLoop,
        answered: @escaping (Result<Outcome, SessionError>) -> Void
    ) throws(ProblemDetails)
}

extension Router {
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
    func submit(
        _ sent: SentDispatch, by hash: KeyedHash, to session: Session, _ performer: StepPerformer,
        on loop: isolated EventLoop,
        answered: @escaping (Result<Outcome, SessionError>) -> Void
    ) throws(ProblemDetails) {
        let actions: HandledActions<App.Action>
        do throws(SessionError) {
            actions = try HandledActions(sent, context.definition.code.coder, hash: hash)
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

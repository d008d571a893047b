import HTTPServer
public import Redux
import Sessions

/// The reason why a ``SessionHandle`` did not do what it was asked for.
///
/// A ``Route`` that passes it on answers by the problem document that a client of the session would
/// get, with pointers into the route's own body: `/text`, not `/payload/text`; a mistake of the server's own code, such as an application that is not served, by 500.
public enum SessionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The server does not serve the application, or not at this path.
    case notMounted(String)
    /// The application is served at several paths: say one of these by `at:`.
    case ambiguousMount([String])
    /// The text is no id of a session.
    case badID(String)
    /// A key has 1 to 128 bytes.
    case badKey
    /// There is no such session.
    case notFound
    /// The session has ended.
    case ended
    /// The reducer or a middleware said no, or where a session is made the application; of a batch,
    /// with the index of the action that was rejected. The work of sessions that dispatch to each
    /// other for too long gets `chain-cut`.
    case rejected(Rejection, index: Int? = nil)
    /// The session or the server cannot do it now.
    case refused(SessionRefusal)
    /// The server has not started yet, or has shut down.
    case notServing

    /// For operators.
    public var description: String {
        switch self {
        case .notMounted(let name): "\(name) is not served there."
        case .ambiguousMount(let paths):
            "The application is served at \(paths.joined(separator: ", ")): say one by at:."
        case .badID(let id): "\(id.prefix(200)) is no id of a session."
        case .badKey: "A key has 1 to 128 bytes."
        case .notFound: "There is no such session."
        case .ended: "The session has ended."
        case .rejected(let rejection, _): "Rejected as \(rejection.code): \(rejection.message)"
        case .refused(let refusal): refusal.description
        case .notServing: "The server does not serve now."
        }
    }
}

/// The reason why a session or its server cannot do something now, as a client of it would be told.
public struct SessionRefusal: Sendable, Hashable, CustomStringConvertible {
    let problem: ProblemDetails

    init(_ problem: ProblemDetails) {
        self.problem = problem
    }

    /// The code of the problem: `journal-unavailable`.
    public var code: String { problem.code }

    /// It may be tried again after a while; where the code is `outcome-unknown`, with the same key.
    public var isTemporary: Bool { problem.retryAfterSeconds != nil }

    /// The reason in a sentence.
    public var description: String { problem.detail ?? problem.code }
}

extension SessionError {
    init(_ problem: ProblemDetails) {
        self = problem == .sessionEnded ? .ended : .refused(SessionRefusal(problem))
    }

    init(_ refusal: Refusal) {
        switch refusal {
        case .rejected(let rejection, let index): self = .rejected(rejection, index: index)
        case .ended: self = .ended
        default: self.init(ProblemDetails(refusal))
        }
    }

    /// The problem that a client gets; nil where it is the server's own mistake.
    var problem: ProblemDetails? {
        switch self {
        case .notMounted, .ambiguousMount, .badKey: nil
        case .badID: .badSessionID
        case .notFound: .sessionNotFound
        case .ended: .sessionEnded
        case .rejected(let rejection, let index): ProblemDetails(rejection, index: index, in: nil)
        case .refused(let refusal): refusal.problem
        case .notServing: .shuttingDown
        }
    }
}

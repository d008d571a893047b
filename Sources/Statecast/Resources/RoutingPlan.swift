import HTTPMessages
import HTTPServer
import Sessions

/// The decisions about a request that its method and path allow: the resource, the loop that it
/// must be answered on, and its refusal.
struct RoutingPlan {
    let route: Route
    /// The hash of the session's id, where the path has one.
    let hash: UInt64

    /// - Parameter mounts: the prefixes of the applications.
    init(_ head: RequestHead, in bytes: Span<UInt8>, mounts: [[UInt8]]) {
        route = Route.find(head.path, in: bytes, mounts: mounts)
        if case .session(_, let id, _) = route {
            precondition(id.range.upperBound <= bytes.count, "An id stands in its request.")
            hash = IDHash.of(bytes.extracting(id.range))
        } else {
            hash = 0
        }
    }

    /// The loop that the request must be answered on; nil where any loop will do.
    func destination(loopCount: Int) -> LoopDestination? {
        guard case .session(_, _, let resource) = route else { return nil }
        precondition(loopCount >= 1, "A server has at least one loop.")
        let index = Int(hash % UInt64(loopCount))
        return LoopDestination(loopIndex: index, isStream: resource == .events)
    }

    /// The methods of the resource, for Allow.
    private var allowedMethods: String {
        switch route {
        case .session(_, _, .description): "GET, HEAD, PUT, DELETE, OPTIONS"
        case .session(_, _, .actions), .sessions: "POST, OPTIONS"
        case .session(_, _, .unknown): ""
        case .session(_, _, .state), .session(_, _, .events), .operation, .problem, .other:
            "GET, HEAD, OPTIONS"
        }
    }

    /// The answer to OPTIONS, the methods of the resource; nil for other methods. Throws where the
    /// head alone shows that the request is refused.
    func options(_ head: RequestHead, in bytes: Span<UInt8>) throws(ProblemAnswer) -> String? {
        switch head.method {
        case .other, .connect, .trace: throw ProblemAnswer(.methodNotImplemented)
        default: break
        }
        if case .session(_, _, .unknown) = route { throw ProblemAnswer(.notFound) }
        if head.isAsterisk { return "GET, HEAD, POST, PUT, DELETE, OPTIONS" }
        switch (route, head.method) {
        case (_, .options): return allowedMethods
        case (.session(_, _, .actions), .post):
            guard MediaType.isJSON(head, in: bytes) else {
                throw ProblemAnswer(.jsonExpected, "Accept", "application/json")
            }
        case (.session(_, _, .actions), _), (.sessions, .get), (.sessions, .head):
            throw .methodNotAllowed(allow: allowedMethods)
        case (_, .get), (_, .head), (.sessions, .post), (.session(_, _, .description), .put),
            (.session(_, _, .description), .delete):
            break
        default: throw .methodNotAllowed(allow: allowedMethods)
        }
        return nil
    }
}

import HTTPMessages
import HTTPServer
import Sessions

/// The decisions about a request that its method and path allow: the resource, the loop that it
/// must be answered on, and its refusal.
struct RoutingPlan {
    let resource: RequestedResource
    /// The hash of the session's id, where the path has one.
    let hash: UInt64

    /// - Parameters:
    ///   - mounts: the prefixes of the applications.
    ///   - table: their own routes.
    init(
        _ head: RequestHead, in bytes: Span<UInt8>, mounts: [[UInt8]], _ table: RouteTable
    ) {
        resource = RequestedResource.find(head.path, in: bytes, mounts: mounts, table)
        if case .session(_, let id, _) = resource {
            precondition(id.range.upperBound <= bytes.count, "An id stands in its request.")
            hash = IDHash.of(bytes.extracting(id.range))
        } else {
            hash = 0
        }
    }

    /// The loop that the request must be answered on; nil where any loop will do.
    func destination(loopCount: Int) -> LoopDestination? {
        guard case .session(_, _, let part) = resource else { return nil }
        precondition(loopCount >= 1, "A server has at least one loop.")
        let index = Int(hash % UInt64(loopCount))
        return LoopDestination(loopIndex: index, isStream: part == .events)
    }

    /// The request is one of those that a server gets all the time: an action, a state, a stream.
    func isFrequent(_ method: RequestMethod) -> Bool {
        switch resource {
        case .session(_, _, .actions), .session(_, _, .events): true
        case .session(_, _, .state): method != .put
        default: false
        }
    }

    /// The methods of the resource, for Allow.
    private var allowedMethods: String {
        switch resource {
        case .session(_, _, .description): "GET, HEAD, PUT, DELETE, OPTIONS"
        case .session(_, _, .actions), .sessions: "POST, OPTIONS"
        case .session(_, _, .unknown): ""
        case .session(_, _, .replay): "GET, HEAD, POST, OPTIONS"
        case .session(_, _, .state): "GET, HEAD, PUT, OPTIONS"
        case .session(_, _, .events), .session(_, _, .log),
            .session(_, _, .recording), .operation, .problem, .own, .other:
            "GET, HEAD, OPTIONS"
        }
    }

    /// The answer to OPTIONS, the methods of the resource; nil for other methods. Throws where the
    /// head alone shows that the request is refused.
    ///
    /// - Parameter table: the own routes, of which the request may be for one.
    func options(
        _ head: RequestHead, in bytes: Span<UInt8>, _ table: RouteTable
    ) throws(ProblemDetails) -> String? {
        switch head.method {
        case .other, .connect, .trace: throw .methodNotImplemented
        default: break
        }
        if case .session(_, _, .unknown) = resource { throw .notFound }
        if head.isAsterisk { return "GET, HEAD, POST, PUT, DELETE, OPTIONS" }
        if case .own(let place) = resource {
            if head.method == .options { return table[place].allowedMethods }
            try table[place].check(head, in: bytes)
            return nil
        }
        switch (resource, head.method) {
        case (_, .options): return allowedMethods
        case (.session(_, _, .actions), .post), (.session(_, _, .state), .put),
            (.session(_, _, .replay), .post):
            try Self.checkJSON(head, in: bytes)
        case (.sessions, .post) where ReplayResource.mode(of: head, in: bytes) != nil:
            try Self.checkRecording(head, in: bytes)
        case (.sessions, .post), (.session(_, _, .description), .put):
            if head.hasBody { try Self.checkJSON(head, in: bytes) }
        case (.session(_, _, .actions), _), (.sessions, .get), (.sessions, .head):
            throw .methodNotAllowed(allow: allowedMethods)
        case (_, .get), (_, .head), (.session(_, _, .description), .delete): break
        default: throw .methodNotAllowed(allow: allowedMethods)
        }
        return nil
    }

    /// Throws where the body is not said to be a recording.
    private static func checkRecording(
        _ head: RequestHead, in bytes: Span<UInt8>
    ) throws(ProblemDetails) {
        let type = "application/x-ndjson"
        guard let value = head.value(.contentType), MediaType.isEqual(value, to: type, in: bytes)
        else { throw .mediaTypeNotAccepted(type) }
    }

    /// Throws where the body is not said to be JSON.
    private static func checkJSON(
        _ head: RequestHead, in bytes: Span<UInt8>
    ) throws(ProblemDetails) {
        guard MediaType.isJSON(head, in: bytes) else {
            throw .jsonExpected
        }
    }
}

import Bytes
import HTTPMessages
import HTTPServer
import Sessions

/// The thing that a path names.
enum RequestedResource: UInt8, CaseIterable {
    // `M/sessions/{id}` and the resources below it, those first that are asked for all the time.
    case actions, events, state, description, log, recording, replay
    /// Nothing that exists, below a session.
    case unknown
    /// `M/sessions`
    case sessions
    /// The resources for operators.
    case alive, ready, metrics
    /// `/problems/{code}`
    case problem
    /// A route of the application's own.
    case own
    /// Anything else: a file, perhaps.
    case file

    var isOfSession: Bool { rawValue <= Self.unknown.rawValue }

    /// The path of the resource as a template, behind that of the application for those of sessions.
    fileprivate var template: String {
        switch self {
        case .actions: "/actions"
        case .events: "/events"
        case .state: "/state"
        case .description: ""
        case .log: "/log"
        case .recording: "/recording"
        case .replay: "/replay"
        case .unknown: "/{unknown}"
        case .sessions: "/sessions"
        case .alive: "/livez"
        case .ready: "/readyz"
        case .metrics: "/metrics"
        case .problem: "/problems/{code}"
        case .own, .file: "/{file}"
        }
    }

    private static func bytes(_ resources: RequestedResource...) -> [(RequestedResource, [UInt8])] {
        resources.map { ($0, Array($0.template.utf8)) }
    }

    private static let ofSession = bytes(
        .actions, .events, .state, .description, .log, .recording, .replay)
    private static let ofServer = bytes(.alive, .ready, .metrics)

    /// The methods of the resource, for Allow.
    var allowedMethods: String {
        switch self {
        case .description: "GET, HEAD, PUT, DELETE, OPTIONS"
        case .actions, .sessions: "POST, OPTIONS"
        case .unknown: ""
        case .replay: "GET, HEAD, POST, OPTIONS"
        case .state: "GET, HEAD, PUT, OPTIONS"
        default: "GET, HEAD, OPTIONS"
        }
    }

    /// The plan of a request for a path, without a string: the resource, with the place of the
    /// application or route that has it, and the session's id or the problem's code.
    ///
    /// - Parameter mounts: the prefixes of the applications.
    static func plan(
        _ path: Slice, in bytes: Span<UInt8>, mounts: [[UInt8]], _ table: RouteTable
    ) -> RequestPlan {
        for mount in mounts.indices {
            guard let rest = rest(of: path, behind: mounts[mount], in: bytes),
                let inner = Self.rest(of: rest, behind: sessionsPath, in: bytes)
            else { continue }
            if inner.isEmpty { return RequestPlan(.sessions, place: mount) }
            guard bytes[inner.range.lowerBound] == slash else { continue }
            var end = inner.range.lowerBound + 1
            while end < inner.range.upperBound, bytes[end] != slash { end += 1 }
            let tail = Slice(end..<inner.range.upperBound)
            var plan = RequestPlan(
                find(tail, among: ofSession, in: bytes) ?? .unknown, place: mount,
                name: Slice(inner.range.lowerBound + 1..<end))
            plan.hash = IDHash.of(bytes.extracting(plan.name.range))
            return plan
        }
        if let resource = find(path, among: ofServer, in: bytes) { return RequestPlan(resource) }
        if let code = rest(of: path, behind: problemsPath, in: bytes), !code.isEmpty {
            return RequestPlan(.problem, name: code)
        }
        return table.find(path, in: bytes).map { RequestPlan(.own, place: $0) }
            ?? RequestPlan(.file)
    }

    @inline(__always)
    private static func find(
        _ path: Slice, among resources: [(RequestedResource, [UInt8])], in bytes: Span<UInt8>
    ) -> RequestedResource? {
        for (resource, text) in resources where text.count == path.length {
            if rest(of: path, behind: text, in: bytes) != nil { return resource }
        }
        return nil
    }

    /// The rest behind a prefix; nil where the path has another beginning.
    @inline(__always)
    private static func rest(
        of path: Slice, behind prefix: [UInt8], in bytes: Span<UInt8>
    ) -> Slice? {
        guard path.length >= prefix.count else { return nil }
        let end = path.range.lowerBound + prefix.count
        let beginning = bytes.extracting(path.range.lowerBound..<end)
        guard beginning.elementsEqual(prefix.span) else { return nil }
        return Slice(end..<path.range.upperBound)
    }

    private static let slash = UInt8(ascii: "/")
    private static let sessionsPath = Array("/sessions".utf8)
    private static let problemsPath = Array("/problems/".utf8)
}

extension RequestPlan {
    fileprivate init(
        _ resource: RequestedResource, place: Int = 0, name: Slice = .empty
    ) {
        self.init()
        kind = resource.rawValue
        self.place = Int32(place)
        self.name = name
    }

    var resource: RequestedResource { RequestedResource(rawValue: kind) ?? .file }

    /// The path belongs to an application.
    var isOfApplication: Bool { kind <= RequestedResource.sessions.rawValue }

    /// The request is one of those that a server gets all the time: an action, a state, a stream.
    func isFrequent(_ method: RequestMethod) -> Bool {
        kind <= RequestedResource.state.rawValue && method != .put
    }

    /// The resource as a template, `/counter/sessions/{id}/actions`.
    func template(mounts: [[UInt8]], _ table: RouteTable) -> String {
        switch resource {
        case .own: table[Int(place)].path.text
        case .sessions: String(decoding: mounts[Int(place)], as: UTF8.self) + "/sessions"
        case let resource where resource.isOfSession:
            String(decoding: mounts[Int(place)], as: UTF8.self) + "/sessions/{id}"
                + resource.template
        case let resource: resource.template
        }
    }

    /// The answer to OPTIONS.
    func allowedMethods(_ head: RequestHead, _ table: RouteTable) -> String {
        if head.isAsterisk { return "GET, HEAD, POST, PUT, DELETE, OPTIONS" }
        return resource == .own ? table[Int(place)].allowedMethods : resource.allowedMethods
    }

    /// Throws where the head alone shows that the request is refused: by its method, or by the media
    /// type of its body.
    func check(
        _ head: RequestHead, in bytes: Span<UInt8>, _ table: RouteTable
    ) throws(ProblemDetails) {
        switch (resource, head.method) {
        case (_, .other), (_, .connect), (_, .trace): throw .methodNotImplemented
        case (.unknown, _): throw .notFound
        case (_, .options): break
        case (.own, _): try table[Int(place)].check(head, in: bytes)
        case (.actions, .post), (.state, .put), (.replay, .post):
            guard MediaType.isJSON(head, in: bytes) else { throw .jsonExpected }
        case (.sessions, .post) where ReplayResource.mode(of: head, in: bytes) != nil:
            let type = "application/x-ndjson"
            guard let value = head.value(.contentType),
                MediaType.isEqual(value, to: type, in: bytes)
            else { throw .mediaTypeNotAccepted(type) }
        case (.sessions, .post), (.description, .put):
            guard !head.hasBody || MediaType.isJSON(head, in: bytes) else { throw .jsonExpected }
        case (.actions, _), (.sessions, _):
            throw .methodNotAllowed(allow: resource.allowedMethods)
        case (_, .get), (_, .head), (.description, .delete): break
        default: throw .methodNotAllowed(allow: resource.allowedMethods)
        }
    }
}

extension RequestHead {
    /// A body comes behind the head, if perhaps an empty one.
    var hasBody: Bool {
        switch body {
        case .none: false
        case .length(let length): length > 0
        case .chunked: true
        }
    }
}

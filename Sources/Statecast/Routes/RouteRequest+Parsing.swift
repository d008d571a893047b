import HTTPMessages
import HTTPServer
import HTTPTypes
import Sockets

extension RouteRequest {
    /// Copies a request that an event loop has received; throws where its path or its query is no
    /// text.
    init(
        _ received: RequestHead, in bytes: Span<UInt8>, body: Range<Int>, to route: Route,
        at path: RoutePath, by principal: Principal?, from address: IPAddress
    ) throws(ProblemAnswer) {
        guard let parameters = path.parameters(of: received.path, in: bytes) else {
            throw ProblemAnswer(.undecodablePath)
        }
        let query = Query(received.query, in: bytes)
        guard !query.isMalformed else {
            throw ProblemAnswer(.badParameter("query", "percent-encoded UTF-8 is expected."))
        }
        self.init(
            head: Self.head(received, in: bytes, of: route), parameters: parameters,
            query: query.items.map { QueryItem(name: $0.name, value: $0.value) },
            body: SharedBytes(copying: bytes.extracting(body)), principal: principal,
            remoteAddress: "\(address)")
    }

    private static func head(
        _ received: RequestHead, in bytes: Span<UInt8>, of route: Route
    ) -> HTTPRequest {
        let query = received.query.isEmpty ? "" : "?\(received.query.string(in: bytes))"
        let path = received.path.isEmpty ? "/" : received.path.string(in: bytes)
        var head = HTTPRequest(
            method: received.method == .head ? .head : route.method, scheme: nil,
            authority: received.authority.string(in: bytes), path: path + query)
        received.forEachField(in: bytes) { name, value in
            guard let name = HTTPField.Name(name.string(in: bytes)), name != .contentEncoding,
                name != .cookie || route.rules.callers != .anywhere
            else { return }
            head.headerFields.append(HTTPField(name: name, value: value.array(in: bytes)))
        }
        return head
    }
}

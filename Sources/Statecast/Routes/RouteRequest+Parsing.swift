import HTTPMessages
import HTTPServer
import HTTPTypes
import Sockets

extension RouteRequest {
    /// Copies a request that an event loop has received; throws where its path or its query is no
    /// text.
    init(
        _ received: RequestHead, in bytes: Span<UInt8>, body: Range<Int>, to route: Route,
        at path: RoutePath, by principal: Principal?, from address: IPAddress,
        _ sessions: Sessions
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
            remoteAddress: "\(address)", sessions: sessions)
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
            guard let name = HTTPField.Name(name.string(in: bytes)), name != .contentEncoding else {
                return
            }
            let field = HTTPField(name: name, value: value.array(in: bytes))
            if route.rules.callers == .anywhere, BrowserCredentials.areSent(by: field) { return }
            head.headerFields.append(field)
        }
        return head
    }
}

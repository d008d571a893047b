import HTTPMessages
import HTTPServer
public import HTTPTypes
import Sockets
public import StateCoding

/// A request to a ``Route``.
public struct RouteRequest: Sendable {
    /// One parameter of the query: `page=2`.
    public struct QueryItem: Sendable, Hashable {
        /// The name, its escapes decoded.
        public var name: String
        /// The value, its escapes decoded; empty where there is no equals sign.
        public var value: String
    }

    /// Method, path with its query, and fields, as they came. A coding that the server has taken off
    /// the body is not among the fields, nor are, where any page may call the route, a cookie and a
    /// password that the browser remembers.
    public let head: HTTPRequest
    /// The segments that the path's parameters stand for, by name, their escapes decoded.
    public let parameters: [String: String]
    /// The parameters of the query in their order.
    public let query: [QueryItem]
    /// The principal that access control found; nil where it is not asked.
    public let principal: Principal?
    /// The address of the connection's other end, perhaps a proxy's.
    public let remoteAddress: String
    /// The client on whose account is what it makes.
    let client: Accounts.Client
    /// The sessions of the server that answers.
    public let sessions: Sessions
    /// Counted into the memory budget until the handler lets go of it.
    private let content: SharedBytes

    /// Copies a request that an event loop has received; throws where its path or its query is no
    /// text.
    init(
        _ call: SessionRequest, in bytes: Span<UInt8>, to route: Route, at path: RoutePath,
        for client: Accounts.Client, _ sessions: Sessions
    ) throws(ProblemDetails) {
        guard let parameters = path.parameters(of: call.head.path, in: bytes) else {
            throw .undecodablePath
        }
        let query = Query(call.head.query, in: bytes)
        try query.check()
        head = Self.head(call.head, in: bytes, of: route)
        self.parameters = parameters
        self.query = query.items.map { QueryItem(name: $0.name, value: $0.value) }
        principal = call.caller.known
        remoteAddress = "\(call.exchange.remoteAddress)"
        self.client = client
        self.sessions = sessions.used(in: nil)
        content = SharedBytes(copying: bytes.extracting(call.body))
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
            if route.callers == .ownOrigin || !AccessRequest.isOfBrowser(name, field.value) {
                head.headerFields.append(field)
            }
        }
        return head
    }

    /// The body byte by byte, as a signature is made over it; gzip is taken off.
    public var body: [UInt8] { content.bytes }

    /// The first value of a name in the query.
    public func queryValue(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// Reads the body as JSON. What is thrown is a client's fault: passed on, it is answered by 400
    /// or 422 with the place of the fault.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self
    ) throws(RouteBodyError) -> Value {
        do throws(DecodingFailure) {
            return try StateDecoder().decode(type, from: content.bytes)
        } catch {
            throw RouteBodyError(error)
        }
    }
}

/// The reason why a request's body could not be read by ``RouteRequest/decode(_:)``: its client's
/// fault, while an error of any other decoding is the server's.
///
/// A handler that passes it on answers by 400 or 422, with the place of the fault.
public struct RouteBodyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The fault in the JSON, and its place.
    public let failure: DecodingFailure

    init(_ failure: DecodingFailure) {
        self.failure = failure
    }

    /// For operators.
    public var description: String { "\(failure.pointer): \(failure.detail)" }
}

import HTTPMessages
public import HTTPTypes
import Sockets
import StateCoding

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
    /// The sessions of the server that answers.
    public let sessions: Sessions
    /// Counted into the memory budget until the handler lets go of it.
    private let content: SharedBytes

    init(
        head: HTTPRequest, parameters: [String: String], query: [QueryItem], body: SharedBytes,
        principal: Principal?, remoteAddress: String, sessions: Sessions
    ) {
        self.head = head
        self.parameters = parameters
        self.query = query
        self.principal = principal
        self.remoteAddress = remoteAddress
        self.sessions = sessions
        content = body
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

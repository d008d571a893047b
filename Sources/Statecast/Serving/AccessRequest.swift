import HTTPMessages
import HTTPServer
import HTTPTypes
import Sockets

/// The part of a request that access control decides by: its head, never its body.
public struct AccessRequest: Sendable {
    /// The request only reads: GET, HEAD, OPTIONS.
    public var isSafe: Bool
    /// The request ends a session.
    public var isDelete: Bool
    /// The path without the query, its escapes decoded: `/counter/sessions/demo/actions`. A file
    /// has one spelling here, however it was asked for; a path that is no UTF-8 is answered with
    /// 400 before.
    public var path: String
    /// The query as it was sent, without the question mark.
    public var query: String
    /// The field Authorization.
    public var authorization: String?
    /// The field Cookie.
    public var cookie: String?
    /// The address of the connection's other end, perhaps a proxy's.
    public var remoteAddress: String

    /// Nil where the path is no text.
    init?(_ head: RequestHead, in bytes: Span<UInt8>, from address: IPAddress) {
        guard let path = PercentCoding.decoded(head.path.array(in: bytes)) else { return nil }
        isSafe = head.method.isSafe
        isDelete = head.method == .delete
        self.path = path
        query = head.query.string(in: bytes)
        authorization = head.value(.authorization)?.string(in: bytes)
        cookie = head.value(.cookie)?.string(in: bytes)
        remoteAddress = "\(address)"
    }
}

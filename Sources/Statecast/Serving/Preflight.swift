import HTTPMessages
import HTTPServer
import HTTPTypes
import Sockets

/// The question that a browser asks before a page's request to another origin (Fetch Standard
/// §3.3.2), and its answer, which is the same for all resources.
///
///     OPTIONS /list/sessions/home/actions HTTP/1.1
///     Origin: https://app.example
///     Access-Control-Request-Method: POST
enum Preflight {
    /// A request is the question whether a page of a listed origin may send another one.
    static func isAsked(
        by head: RequestHead, in bytes: Span<UInt8>, of sharing: OriginSharing
    ) -> Bool {
        guard head.method == .options, sharing.isListed(head, in: bytes) else { return false }
        var hasMethod = false
        head.forEachField(in: bytes) { name, _ in
            if name.isEqual(to: "Access-Control-Request-Method", in: bytes) { hasMethod = true }
        }
        return hasMethod
    }

    /// Answers that pages may send all that some resource takes: the answer to the request itself
    /// then tells the page what was wrong with it.
    static func answer(_ exchange: Exchange, on loop: isolated EventLoop) {
        exchange.respond(.noContent, on: loop) { $0.lines(lines) }
    }

    private static let lines = Array(
        """
        Access-Control-Allow-Methods: GET, HEAD, POST, PUT, PATCH, DELETE\r
        Access-Control-Allow-Headers: Authorization, Content-Type, If-Match, If-None-Match, \
        Idempotency-Key, Last-Event-ID, Prefer\r
        Access-Control-Max-Age: 7200\r\n
        """.utf8)
}

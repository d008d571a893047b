import HTTPMessages
import HTTPServer
import HTTPTypes
import Sockets

/// The pages of the server: those of problems, and files.
struct PagesResource {
    let files: StaticFiles?

    /// Files below are for those who may inspect.
    private static let inspected = "/inspect"

    /// `/problems/{code}`: the page of an error's `type`.
    func getProblem(
        _ code: Slice, _ exchange: Exchange, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        var name = code.string(in: bytes)
        // The codes of an application's rejections are its own: one page tells of them all.
        if name.hasPrefix("rejected/"), name.utf8.dropFirst(9).allSatisfy(SessionID.isAllowed) {
            name = "rejected"
        }
        guard let page = ProblemPage.all.first(where: { $0.code == name }) else {
            throw .notFound
        }
        exchange.respond(.ok, on: loop) { writer in
            writer.field("Content-Type", "text/html; charset=utf-8")
            writer.field("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
            writer.body(Array(page.html.utf8))
        }
    }

    /// The request is for a file below `/inspect`.
    static func isInspected(_ head: RequestHead, in bytes: Span<UInt8>) -> Bool {
        let path = head.path.string(in: bytes)
        let plain = path.utf8.contains(UInt8(ascii: "%")) ? PercentCoding.decoded(path.utf8) : path
        guard let plain, plain.hasPrefix(inspected) else { return false }
        return plain.utf8.count == inspected.utf8.count
            || plain.utf8.dropFirst(inspected.utf8.count).first == UInt8(ascii: "/")
    }

    /// A file.
    func get(
        _ head: RequestHead, _ exchange: Exchange, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        guard let files else { throw .notFound }
        files.respond(to: head, in: bytes, exchange: exchange, on: loop)
    }
}

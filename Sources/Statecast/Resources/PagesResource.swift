import HTTPMessages
import HTTPServer
import HTTPTypes
import Redux
import Sockets

/// The pages of the server: those of problems, the assets of applications, and files.
struct PagesResource {
    let configuration: ServerConfiguration
    let files: StaticFiles?

    /// `/problems/{code}`: the page of an error's `type`.
    func getProblem(
        _ code: Slice, _ exchange: Exchange, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemAnswer) {
        var name = code.string(in: bytes)
        // The codes of an application's rejections are its own: one page tells of them all.
        if name.hasPrefix("rejected/"), name.utf8.dropFirst(9).allSatisfy(SessionID.isAllowed) {
            name = "rejected"
        }
        guard let page = ProblemPage.all.first(where: { $0.code == name }) else {
            throw ProblemAnswer(.notFound)
        }
        exchange.respond(.ok, on: loop) { writer in
            writer.field("Content-Type", "text/html; charset=utf-8")
            writer.field("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
            writer.body(Array(page.html.utf8))
        }
    }

    /// An asset or a file.
    func get(
        _ head: RequestHead, _ exchange: Exchange, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemAnswer) {
        if let asset = configuration.asset(head.path.string(in: bytes)) {
            return exchange.respondNegotiated(
                to: head, in: bytes, contentType: asset.contentType,
                body: NegotiatedBody(SharedBytes(asset.bytes)), on: loop
            ) { writer in
                writer.field("Cache-Control", "public, max-age=3600")
                // Opened by itself, a picture runs nothing.
                writer.field("Content-Security-Policy", "default-src 'none'; sandbox")
            }
        }
        guard let files else { throw ProblemAnswer(.notFound) }
        files.respond(to: head, in: bytes, exchange: exchange, on: loop)
    }
}

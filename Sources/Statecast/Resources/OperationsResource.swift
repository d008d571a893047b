import HTTPMessages
import HTTPServer
import HTTPTypes
import Journaling
import Sockets
import Synchronization

/// The resources of the server's own: `/livez`, `/readyz`, `/metrics`, the pages of problems, and files.
extension Router {
    func getOperation(
        _ request: SessionRequest, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        switch request.resource {
        case .alive: request.exchange.respond(json: "{\"status\":\"alive\"}".utf8, on: loop)
        case .ready:
            guard shared.lifecycle.isReady.load(ordering: .relaxed) else { throw .shuttingDown }
            guard context.journal.status.isAvailable else { throw ProblemDetails(.unavailable) }
            guard !shared.lifecycle.isAlone.load(ordering: .relaxed) else { throw .alone }
            request.exchange.respond(json: "{\"status\":\"ready\"}".utf8, on: loop)
        default:
            registry.context.publishMetrics(on: loop)
            request.exchange.respond(
                json: shared.lifecycle.metricsText.utf8,
                as: "application/openmetrics-text; version=1.0.0; charset=utf-8", on: loop)
        }
    }

    /// `/problems/{code}`: the page of an error's `type`.
    func getProblem(
        _ request: SessionRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        var name = request.plan.name.string(in: bytes)
        // The codes of an application's rejections are its own: one page tells of them all.
        if name.hasPrefix("rejected/"), name.utf8.dropFirst(9).allSatisfy(SessionID.isAllowed) {
            name = "rejected"
        }
        guard let page = ProblemPage.named(name) else { throw .notFound }
        request.exchange.respond(.ok, on: loop) { writer in
            writer.field("Content-Type", "text/html; charset=utf-8")
            writer.field("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
            writer.body(Array(page.html.utf8))
        }
    }
}

extension Exchange {
    /// Answers with what no cache keeps.
    func respond(
        json: some Collection<UInt8>, as type: String = "application/json",
        on loop: isolated EventLoop
    ) {
        respond(.ok, on: loop) { writer in
            writer.content(type)
            writer.body(Array(json))
        }
    }
}

extension ResponseWriter {
    /// The fields that say what the content is, and who may keep it.
    ///
    /// - Parameter tag: without quotation marks.
    mutating func content(
        _ type: String = "application/json", caching: String = "no-store", tag: [UInt8]? = nil
    ) {
        field("Content-Type", type)
        field("Cache-Control", caching)
        if let tag { entityTag(tag) }
    }

    /// - Parameter tag: without quotation marks.
    mutating func entityTag(_ tag: [UInt8], as name: String = "ETag") {
        field(name) { output in
            output.append(UInt8(ascii: "\""))
            output.append(contentsOf: tag)
            output.append(UInt8(ascii: "\""))
        }
    }
}

import HTTPMessages
import HTTPServer
import HTTPTypes
import Sockets

extension SessionRouter {
    /// `/livez`, `/readyz`, `/metrics`.
    func handle(
        _ operation: Route.Operation, _ head: RequestHead, _ exchange: Exchange,
        on loop: isolated EventLoop
    ) {
        switch head.method {
        case .get, .head: break
        case .options: return exchange.respondOptions(allow: "GET, HEAD, OPTIONS", on: loop)
        default: return exchange.refuseMethod(allow: "GET, HEAD, OPTIONS", on: loop)
        }
        switch operation {
        case .alive: respond("{\"status\":\"alive\"}", .ok, exchange, on: loop)
        case .ready:
            if lifecycle.isReady {
                respond("{\"status\":\"ready\"}", .ok, exchange, on: loop)
            } else {
                exchange.respond(.shuttingDown, on: loop)
            }
        case .metrics:
            context.publishMetrics(on: loop)
            let text = lifecycle.metricsText
            exchange.respond(.ok, on: loop) { writer in
                writer.field(
                    "Content-Type",
                    "application/openmetrics-text; version=1.0.0; charset=utf-8")
                writer.field("Cache-Control", "no-store")
                writer.body(Array(text.utf8))
            }
        }
    }

    private func respond(
        _ json: String, _ status: HTTPResponse.Status, _ exchange: Exchange,
        on loop: isolated EventLoop
    ) {
        exchange.respond(status, on: loop) { writer in
            writer.field("Content-Type", "application/json")
            writer.field("Cache-Control", "no-store")
            writer.body(Array(json.utf8))
        }
    }

    /// `/problems/{code}`: a page for the `type` of an error.
    func handleProblem(
        _ code: Slice, _ head: RequestHead, _ exchange: Exchange, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) {
        if head.method == .options {
            return exchange.respondOptions(allow: "GET, HEAD, OPTIONS", on: loop)
        }
        guard head.method == .get || head.method == .head else {
            return exchange.refuseMethod(allow: "GET, HEAD, OPTIONS", on: loop)
        }
        let name = code.string(in: bytes)
        guard name.utf8.count <= 64, name.utf8.allSatisfy(SessionID.isAllowed) else {
            return exchange.respond(.notFound, on: loop)
        }
        let title = name.split(separator: "-").joined(separator: " ")
        let page = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
            <meta name="viewport" content="width=device-width">
            <link rel="stylesheet" href="/style/tokens.css">
            <link rel="stylesheet" href="/style/layout.css"></head>
            <body><main><h1>\(title)</h1>
            <p>An answer of this server has the problem type <code>\(name)</code> (RFC 9457).
            Its member <code>detail</code> says what was wrong with the request, and
            <code>pointer</code>, where it is given, which part of the body.</p>
            <p><a href="/">Start page</a></p></main></body></html>
            """
        exchange.respond(.ok, on: loop) { writer in
            writer.field("Content-Type", "text/html; charset=utf-8")
            writer.field("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
            writer.body(Array(page.utf8))
        }
    }
}

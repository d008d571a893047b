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

    /// `/problems/{code}`: the page of an error's `type`.
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
        guard let page = ProblemPage.all.first(where: { $0.code == name }) else {
            return exchange.respond(.notFound, on: loop)
        }
        exchange.respond(.ok, on: loop) { writer in
            writer.field("Content-Type", "text/html; charset=utf-8")
            writer.field("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
            writer.body(Array(page.html.utf8))
        }
    }
}

import HTTPMessages
import HTTPServer
import HTTPTypes
import Sockets

/// `/livez`, `/readyz`, `/metrics`.
struct OperationsResource {
    let registry: SessionRegistry
    let lifecycle: ServerLifecycle

    func get(
        _ operation: RequestedResource, _ exchange: Exchange, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        switch operation {
        case .alive: respond("{\"status\":\"alive\"}", exchange, on: loop)
        case .ready:
            guard lifecycle.isReady else { throw .shuttingDown }
            respond("{\"status\":\"ready\"}", exchange, on: loop)
        default:
            registry.context.publishMetrics(on: loop)
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

    private func respond(_ json: String, _ exchange: Exchange, on loop: isolated EventLoop) {
        exchange.respond(.ok, on: loop) { writer in
            writer.field("Content-Type", "application/json")
            writer.field("Cache-Control", "no-store")
            writer.body(Array(json.utf8))
        }
    }
}

import HTTPMessages
import HTTPServer
import HTTPTypes
import Journaling
import Sockets

extension Session {
    /// Answers one who has waited with a projection's present value.
    func answerState(
        _ exchange: Exchange, _ projection: Projection, _ context: SessionContext,
        on loop: isolated EventLoop
    ) {
        do throws(ProblemDetails) {
            guard let json = try content(of: projection, context, on: loop) else {
                return exchange.respond(.outOfScope, on: loop)
            }
            let etag = tag(projection)
            exchange.respond(body: json, on: loop) { writer in
                writer.field("Content-Type", "application/json")
                writer.lines(Self.liveLines)
                writer.field("ETag") { Self.quote(etag, to: &$0) }
            }
        } catch {
            exchange.respond(error, on: loop)
        }
    }

    /// Answers that nothing has changed.
    func answerNotModified(
        _ exchange: Exchange, _ projection: Projection, on loop: isolated EventLoop
    ) {
        let etag = tag(projection)
        exchange.respond(.notModified, on: loop) { writer in
            writer.lines(Self.liveLines)
            writer.field("ETag") { Self.quote(etag, to: &$0) }
        }
    }

    /// What is told of a session; of each effect
    /// `{"name":"load","cause":3,"since":"2026-11-21T09:30:00.123Z","status":"running"}`.
    func describe(_ context: SessionContext, to output: inout [UInt8]) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("id", id.description)
        writer.member("token", token.description)
        writer.member("version", store.version)
        writer.member("created", created.iso8601)
        writer.member("lastChange", changed.iso8601)
        writer.member("watchers", watcherCount)
        writer.name("effects")
        writer.beginArray()
        for effect in store.runningEffects {
            writer.beginObject()
            writer.member("name", effect.name)
            writer.member("cause", effect.cause)
            writer.member("since", effect.startedAt.iso8601)
            writer.member("status", effect.isWaiting ? "waiting" : "running")
            writer.endObject()
        }
        writer.endArray()
        writer.member("journal", context.journal.mode.rawValue)
        if let frozen { writer.member("frozen", frozen) }
        writer.endObject()
        output = writer.bytes
    }

    private static let liveLines = Array("Cache-Control: no-store\r\n".utf8)
}

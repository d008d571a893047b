import HTTPMessages
import HTTPServer
import HTTPTypes
import Redux
import Sessions
import Sockets
import StateCoding

/// `M/sessions/{id}`: GET describes a session, PUT makes it, DELETE ends it.
struct DescriptionResource {
    let registry: SessionRegistry
    /// `durable`
    let journalMode: String

    func handle(
        _ request: SessionRequest, of session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        try Preconditions.check(request.head, in: bytes, tag: session.token.bytes)
        if request.head.method == .delete {
            let exchange = request.exchange
            try registry.end(session, for: exchange, on: loop) { isForgotten in
                exchange.respond(isForgotten ? .noContent : .accepted, on: loop) { _ in }
            }
        } else {
            describe(
                session, .ok, to: request.head.method, by: request.caller, request.exchange,
                on: loop)
        }
    }

    /// Throws where a PUT is of a part, which no session takes (RFC 9110 §14.5).
    func checkPut(_ head: RequestHead, in bytes: Span<UInt8>) throws(ProblemDetails) {
        guard head.method == .put else { return }
        var isPartial = false
        head.forEachField(in: bytes) { name, _ in
            isPartial = isPartial || name.isEqual(to: "content-range", in: bytes)
        }
        if isPartial { throw .partialPut }
    }

    /// Answers with the description of a session.
    func describe(
        _ session: Session, _ status: HTTPResponse.Status, to method: RequestMethod,
        by caller: Caller, _ exchange: Exchange, on loop: isolated EventLoop
    ) {
        let body = json(of: session, for: caller, at: loop.now)
        let tag = session.token.bytes
        let hasTag = method != .get && method != .head
        exchange.respond(status, on: loop) { writer in
            if status == .created {
                writer.field("Location", "\(session.mountName)/sessions/\(session.id)")
            }
            writer.field("Content-Type", "application/json")
            writer.field("Cache-Control", "no-store")
            // The description shows watchers and effects, too, which no token counts.
            if hasTag { writer.field("ETag") { StateAnswer.quote(tag, to: &$0) } }
            writer.body(body)
        }
    }

    /// The description of a session for one who asks: `"you":{"id":"alice","roles":["act"]}`. Who
    /// may inspect is told of each work and effect.
    private func json(
        of session: Session, for caller: Caller, at now: Instant
    ) -> [UInt8] {
        let works = session.actions?.runningWork ?? []
        let effects = session.actions?.runningEffects ?? []
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("id", session.id.description)
        writer.member("token", session.token.description)
        writer.member("version", session.version)
        writer.member("created", session.created.iso8601)
        writer.member("lastChange", session.past.changed.iso8601)
        writer.member("watchers", session.watcherCount)
        writer.member("inFlight", works.count + effects.count)
        if caller.roles.contains(Role.inspect) {
            writer.name("work")
            writer.beginArray()
            for work in works { write(work, to: &writer) }
            writer.endArray()
            write(effects, to: &writer)
        }
        writer.member("journal", journalMode)
        if let frozen = session.past.frozen { writer.member("frozen", frozen) }
        if let player = registry.replays.player(of: session) {
            writer.name("replay")
            player.write(to: &writer, at: now)
        }
        write(caller, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    private func write(_ effects: [RunningEffect], to writer: inout JSONWriter) {
        writer.name("effects")
        writer.beginArray()
        for effect in effects {
            writer.beginObject()
            writer.member("name", effect.name)
            writer.member("cause", effect.cause)
            writer.member("since", effect.startedAt.iso8601)
            writer.member("status", effect.isWaiting ? "waiting" : "running")
            writer.endObject()
        }
        writer.endArray()
    }

    private func write(_ caller: Caller, to writer: inout JSONWriter) {
        writer.name("you")
        writer.beginObject()
        writer.member("id", caller.principal.id)
        writer.name("roles")
        writer.beginArray()
        for role in caller.roles.sorted() { writer.value(role) }
        writer.endArray()
        writer.endObject()
    }

    /// `{"name":"load","cause":3,"since":"2026-11-21T09:30:00.123Z","status":"running","attempt":1}`,
    /// and of an alarm `"due"` in place of the attempt.
    private func write(_ work: RunningWork, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", work.name)
        writer.member("cause", work.cause)
        writer.member("since", work.since.iso8601)
        switch work.stage {
        case .running, .finishing:
            writer.member("status", "running")
            writer.member("attempt", work.attempt)
        case .waiting: writer.member("status", "waiting")
        case .paused: writer.member("status", "paused")
        case .due(let time):
            writer.member("status", "alarm")
            writer.member("due", time.iso8601)
        case .fired: writer.member("status", "alarm")
        }
        writer.endObject()
    }
}

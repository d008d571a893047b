import HTTPMessages
import HTTPServer
import HTTPTypes
import Journaling
import Redux
import Sessions
import Sockets
import StateCoding

extension Router {
    /// `M/sessions/{id}`: GET describes a session, PUT makes it, DELETE ends it.
    func handleDescription(
        _ request: SessionRequest, of session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        try request.checkConditions(in: bytes, tag: session.token.bytes)
        guard request.head.method == .delete else {
            return registry.describe(session, .ok, to: request, on: loop)
        }
        let exchange = request.exchange
        try registry.end(session, on: loop) { isForgotten in
            exchange.respond(isForgotten ? .noContent : .accepted, on: loop) { _ in }
        }
    }
}

extension SessionRegistry {
    /// Answers with the description of a session.
    func describe(
        _ session: Session, _ status: HTTPResponse.Status, to request: SessionRequest,
        on loop: isolated EventLoop
    ) {
        let isRead = request.head.method == .get || request.head.method == .head
        let body = json(of: session, for: request.caller, isRead: isRead, at: loop.now)
        request.exchange.respond(status, on: loop) { writer in
            if status == .created {
                writer.field("Location", "\(session.mountName)/sessions/\(session.id)")
            }
            // The description shows watchers and effects, too, which no token counts.
            writer.content(tag: isRead ? nil : session.token.bytes)
            writer.body(body)
        }
    }

    /// The description of a session for one who asks: `"you":{"id":"alice","roles":["act"]}`, and what
    /// a client has to know that reduces actions by itself. Who may inspect is told of each work and
    /// effect and, where it is asked for, how many bytes the state has as JSON.
    private func json(
        of session: Session, for caller: Caller, isRead: Bool, at now: Instant
    ) -> [UInt8] {
        let works = session.actions?.runningWork ?? []
        let effects = session.actions?.runningEffects ?? []
        return JSONWriter.object { writer in
            writer.member("id", session.id.description)
            writer.member("token", session.token.description)
            writer.member("version", session.version)
            writer.member("created", session.created.iso8601)
            writer.member("lastChange", session.changed.iso8601)
            writer.member("watchers", session.watcherCount)
            writer.member("inFlight", works.count + effects.count)
            if caller.roles.contains(Role.inspect) {
                if isRead { writer.member("stateBytes", session.measureState()) }
                writer.list("work", works, Self.write)
                writer.list("effects", effects, Self.write)
            }
            writer.member("journal", context.sessions.journal.mode.rawValue)
            if let frozen = session.frozen { writer.member("frozen", frozen) }
            if let player = replays.player(of: session) {
                writer.object("replay") { player.write(to: &$0, at: now) }
            }
            writer.member("sees", session.store.showsState ? "state" : "view")
            writer.member("schema", session.store.schemaVersion)
            let unpredicted = mounts[session.mount].unpredicted
            if !unpredicted.isEmpty { writer.list("unpredicted", unpredicted) }
            writer.object("you") { writer in
                if let id = caller.known?.id {
                    writer.member("id", id)
                } else {
                    writer.member("id", json: "null".utf8Span.span)
                }
                writer.list("roles", caller.roles.sorted())
            }
        }
    }

    private static func write(_ writer: inout JSONWriter, _ effect: RunningEffect) {
        writer.object { writer in
            writer.member("name", effect.name)
            writer.member("cause", effect.cause)
            writer.member("since", effect.startedAt.iso8601)
            writer.member("status", effect.isWaiting ? "waiting" : "running")
        }
    }

    /// `{"name":"load","cause":3,"since":"2026-11-21T09:30:00.123Z","status":"running","attempt":1}`,
    /// and of an alarm `"due"` in place of the attempt.
    private static func write(_ writer: inout JSONWriter, _ work: RunningWork) {
        writer.object { writer in
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
        }
    }
}

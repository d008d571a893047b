import Bytes
import HTTPMessages
import HTTPServer
import Redux
import Sessions
import Sockets
import StateCoding

/// `POST M/sessions?replay=4x` makes a session that plays the recording in the body, with `reduce=again` what
/// this build makes of its actions;
/// `M/sessions/{id}/replay` tells how far it is, and has it go on. For the role *inspect*.
extension Router {
    // MARK: Making

    /// The value of `replay` in the query of a request that makes a session; nil where there is none.
    static func replayMode(of head: RequestHead, in bytes: Span<UInt8>) -> String? {
        guard !head.query.isEmpty, head.method == .post else { return nil }
        return Query(head.query, in: bytes)["replay"]
    }

    /// Makes a session that plays the recording in a body.
    func makeReplay(
        _ id: SessionID, for call: SessionRequest, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        guard let mode = Self.replayMode(of: call.head, in: bytes).flatMap(ReplayMode.init) else {
            throw .badParameter(
                "replay", "1x to \(ReplayMode.greatestSpeed)x, step or instant is expected.")
        }
        let isReduced = try Query(call.head.query, in: bytes)
            .value("reduce", "again") { $0 == "again" ? true : nil }
        try registry.replays.read(
            [UInt8](copying: bytes.extracting(call.body)), into: id, mode,
            isReduced: isReduced ?? false, for: call, of: gate.client(of: call, in: bytes),
            in: registry, on: loop)
    }

    // MARK: Playing

    /// Tells how far a replay is, or has it go on.
    func handleReplay(
        _ request: SessionRequest, of session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        guard let player = registry.replays.player(of: session) else {
            throw .noReplay
        }
        if request.head.method == .post {
            do throws(DecodingFailure) {
                let command = try StateDecoder().decode(
                    ReplayCommand.self, from: bytes.extracting(request.body))
                try player.obey(command, on: loop)
            } catch {
                throw .unreadableBody(error)
            }
        }
        let json = JSONWriter.object { player.write(to: &$0, at: loop.now) }
        request.exchange.respond(json: json, on: loop)
    }
}

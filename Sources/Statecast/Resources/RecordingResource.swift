import Bytes
import HTTPMessages
import HTTPServer
import HTTPTypes
import Journaling
import Redux
import Sessions
import Sockets
import StateCoding

/// `GET M/sessions/{id}/recording`: the session's timeline as a file of JSON Lines, for the role
/// *inspect*. The first line is about the session, each further one is an entry with its patch:
///
///     {"application":"/counter","schema":1,"epoch":"k3f9","version":0,"state":{"count":0},…}
///     {"version":1,"at":1520,"origin":"client","action":{"type":"incremented"},"patch":[…]}
struct RecordingResource {
    /// A larger recording is sent as it is: to compress it would keep the loop for too long.
    static let compressedByteCount = 4 << 20

    let registry: SessionRegistry

    func get(
        _ request: SessionRequest, of session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let log = session.askForLog()
        try StateAnswer.respond(
            to: request, session.tag(of: log, as: "recording"), type: "application/x-ndjson",
            in: bytes, on: loop
        ) { () throws(ProblemDetails) in
            let body = try write(
                log, of: session, schema: registry.mounts[request.mount].schemaVersion)
            let name = "\(session.id)-\(session.version).ndjson"
            return (
                NegotiatedBody(
                    SharedBytes(body), isCompressible: body.count <= Self.compressedByteCount),
                ("Content-Disposition", "attachment; filename=\"\(name)\"")
            )
        }
    }

    private func write(
        _ log: EntryLog?, of session: Session, schema: Int
    ) throws(ProblemDetails) -> [UInt8] {
        guard let log else {
            let whole = session.projections.whole
            guard let json = try StateAnswer.content(of: whole, in: session) else {
                throw .outOfScope
            }
            return Self.header(
                of: session, schema, json.bytes, at: session.version,
                since: session.past.changed)
        }
        let isWhole = log.baseVersion == 0 && !session.past.isReplay
        let start = isWhole ? session.created : log.start
        var lines = Self.header(
            of: session, schema, log.base.bytes, at: log.baseVersion, since: start)
        for entry in log.entries(after: log.baseVersion, limit: Int.max) {
            entry.append(
                to: &lines, since: start,
                epoch: session.epochBegun(by: entry.version),
                withPatch: true)
            lines.append(UInt8(ascii: "\n"))
        }
        return lines
    }

    /// - Parameter start: the time that `at` of the entries counts from.
    private static func header(
        of session: Session, _ schema: Int, _ state: [UInt8], at version: UInt64,
        since start: Timestamp
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("application", session.mountName.isEmpty ? "/" : session.mountName)
        writer.member("schema", schema)
        writer.member("epoch", session.epoch)
        writer.member("created", session.created.iso8601)
        writer.member("start", start.iso8601)
        writer.member("version", version)
        writer.member("state", json: state.span)
        writer.endObject()
        return writer.finish() + [UInt8(ascii: "\n")]
    }
}

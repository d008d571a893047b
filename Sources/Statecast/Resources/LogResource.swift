import Bytes
import HTTPMessages
import HTTPServer
import HTTPTypes
import Journaling
import Redux
import Sessions
import Sockets
import StateCoding

extension Router {
    /// The entries of a page of the log that asks for no number.
    private static let defaultEntryCount = 100
    /// The most entries of a page.
    private static let largestEntryCount = 1_000
    /// A page ends with the entry that makes it so large; the next one begins behind that.
    private static let pageByteCount = 1 << 20
    /// A larger recording is sent as it is: to compress it would keep the loop for too long.
    static let compressedByteCount = 4 << 20

    // MARK: The log

    /// `GET M/sessions/{id}/log?after=17&limit=100&patch=1`: the session's entries in their order, for
    /// the role *inspect*: `[{"version":1,…},{"version":2,…}]`, or each on a line of its own.
    func getLog(
        _ request: SessionRequest, of session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let log = session.askForLog()
        let query = Query(request.head.query, in: bytes)
        let first = log?.baseVersion ?? session.version
        let after = try Self.start(query, epoch: session.epoch, oldest: first)
        let limits = 1...Self.largestEntryCount
        let limit =
            try query.value("limit", "a number from 1 to \(limits.upperBound)") { text in
                Int(text).flatMap { limits.contains($0) ? $0 : nil }
            } ?? Self.defaultEntryCount
        let hasPatches =
            try query.value("patch", "0 or 1") { ["0": false, "1": true][$0] } ?? false
        let isLines = request.head.prefers(
            "application/x-ndjson", to: "application/json", in: bytes)
        try request.respond(
            session.tag(of: log, as: isLines ? "lines" : "log"),
            type: isLines ? "application/x-ndjson" : "application/json", varyingBy: "Accept",
            in: bytes, on: loop
        ) { () throws(ProblemDetails) in
            let entries = log?.entries(after: after ?? first, limit: limit) ?? []
            let (body, last) = Self.write(entries, of: session, hasPatches, asLines: isLines)
            var link: (String, String)?
            if let last, last < log?.lastVersion ?? 0 {
                let next = Token(epoch: session.epoch, version: last)
                let query = "after=\(next)&limit=\(limit)\(hasPatches ? "&patch=1" : "")"
                let path = "\(session.mountName)/sessions/\(session.id)/log?\(query)"
                link = ("Link", "<\(path)>; rel=\"next\"")
            }
            return (NegotiatedBody(SharedBytes(body)), link)
        }
    }

    /// The version behind which a page begins; nil for the oldest entry.
    private static func start(
        _ query: Query, epoch: String, oldest: UInt64
    ) throws(ProblemDetails) -> UInt64? {
        try query.check()
        guard let text = query["after"] else { return nil }
        let after = try Token.version(text, of: "after", epoch: epoch, oldest: oldest)
        guard after >= oldest else { throw .versionGone(oldest: oldest) }
        return after
    }

    /// The entries of a page, and the version of the last of them.
    private static func write(
        _ entries: [EncodedEntry], of session: Session, _ hasPatches: Bool, asLines isLines: Bool
    ) -> ([UInt8], last: UInt64?) {
        var bytes: [UInt8] = isLines ? [] : [UInt8(ascii: "[")]
        var last: UInt64?
        for entry in entries where bytes.count < pageByteCount {
            if !isLines, last != nil { bytes.append(UInt8(ascii: ",")) }
            entry.append(
                to: &bytes, epoch: session.epochBegun(by: entry.version), withPatch: hasPatches)
            if isLines { bytes.append(UInt8(ascii: "\n")) }
            last = entry.version
        }
        if !isLines { bytes.append(UInt8(ascii: "]")) }
        return (bytes, last)
    }

    // MARK: The recording

    /// `GET M/sessions/{id}/recording`: the session's timeline as a file of JSON Lines, for the role
    /// *inspect*. The first line is about the session, each further one is an entry with its patch:
    ///
    ///     {"application":"/counter","schema":1,"epoch":"k3f9","version":0,"state":{"count":0},…}
    ///     {"version":1,"at":1520,"origin":"client","action":{"type":"incremented"},"patch":[…]}
    func getRecording(
        _ request: SessionRequest, of session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let log = session.askForLog()
        try request.respond(
            session.tag(of: log, as: "recording"), type: "application/x-ndjson",
            in: bytes, on: loop
        ) { () throws(ProblemDetails) in
            let body = try recording(of: session, log)
            let name = "\(session.id)-\(session.version).ndjson"
            return (
                NegotiatedBody(
                    SharedBytes(body), isCompressible: body.count <= Self.compressedByteCount),
                ("Content-Disposition", "attachment; filename=\"\(name)\"")
            )
        }
    }

    private func recording(
        of session: Session, _ log: EntryLog?
    ) throws(ProblemDetails) -> [UInt8] {
        guard let log else {
            let whole = session.projections.whole
            guard let json = try session.json(of: whole) else {
                throw .outOfScope
            }
            return header(
                of: session, json.bytes, at: session.version, since: session.changed)
        }
        let isWhole = log.baseVersion == 0 && !session.isReplay
        let start = isWhole ? session.created : log.start
        var lines = header(of: session, log.base.bytes, at: log.baseVersion, since: start)
        for entry in log.entries(after: log.baseVersion, limit: Int.max) {
            entry.append(
                to: &lines, since: start, epoch: session.epochBegun(by: entry.version),
                withPatch: true)
            lines.append(UInt8(ascii: "\n"))
        }
        return lines
    }

    /// - Parameter start: the time that `at` of the entries counts from.
    private func header(
        of session: Session, _ state: [UInt8], at version: UInt64, since start: Timestamp
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("application", session.mountName.isEmpty ? "/" : session.mountName)
        writer.member("schema", registry.mounts[session.mount].schemaVersion)
        writer.member("epoch", session.epoch)
        writer.member("created", session.created.iso8601)
        writer.member("start", start.iso8601)
        writer.member("version", version)
        writer.member("state", json: state.span)
        writer.endObject()
        return writer.finish() + [UInt8(ascii: "\n")]
    }
}

extension RequestHead {
    /// The client would rather have one media type than another.
    func prefers(_ type: String, to other: String, in bytes: Span<UInt8>) -> Bool {
        guard value(.accept) != nil else { return false }
        return AcceptField.weight(ofType: type, self, in: bytes)
            > AcceptField.weight(ofType: other, self, in: bytes)
    }
}

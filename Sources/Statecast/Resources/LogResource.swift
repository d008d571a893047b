import Bytes
import HTTPMessages
import HTTPServer
import HTTPTypes
import Journaling
import Redux
import Sessions
import Sockets

/// `GET M/sessions/{id}/log`: the session's entries in their order, for the role *inspect*.
struct LogResource {
    func get(
        _ request: SessionRequest, of session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let log = session.askForLog()
        let page = try LogPage(
            Query(request.head.query, in: bytes), epoch: session.epoch,
            oldest: log?.baseVersion ?? session.version)
        let isLines = Self.wantsLines(request.head, in: bytes)
        try StateAnswer.respond(
            to: request, session.tag(of: log, as: isLines ? "lines" : "log"),
            type: isLines ? "application/x-ndjson" : "application/json", varyingBy: "Accept",
            in: bytes, on: loop
        ) { () throws(ProblemDetails) in
            let (bytes, next) = Self.write(page, of: log, session, asLines: isLines)
            let link = next.map { last in
                let query = page.next(after: last, epoch: session.epoch)
                return "<\(session.mountName)/sessions/\(session.id)/log?\(query)>; rel=\"next\""
            }
            return (NegotiatedBody(SharedBytes(bytes)), link.map { ("Link", $0) })
        }
    }

    /// The client rather has lines than an array.
    private static func wantsLines(_ head: RequestHead, in bytes: Span<UInt8>) -> Bool {
        guard head.value(.accept) != nil else { return false }
        return AcceptField.weight(ofType: "application/x-ndjson", head, in: bytes)
            > AcceptField.weight(ofType: "application/json", head, in: bytes)
    }

    /// The entries of a page: `[{"version":1,…},{"version":2,…}]`, or each on a line of its own; and
    /// the last of them, where others follow.
    private static func write(
        _ page: LogPage, of log: EntryLog?, _ session: Session, asLines isLines: Bool
    ) -> ([UInt8], next: UInt64?) {
        var bytes: [UInt8] = []
        var last: UInt64?
        if !isLines { bytes.append(UInt8(ascii: "[")) }
        for entry in log?.entries(after: page.after ?? log?.baseVersion ?? 0, limit: page.limit)
            ?? []
        {
            if !isLines, last != nil { bytes.append(UInt8(ascii: ",")) }
            entry.append(
                to: &bytes, epoch: session.epochBegun(by: entry.version),
                withPatch: page.hasPatches)
            if isLines { bytes.append(UInt8(ascii: "\n")) }
            last = entry.version
            if bytes.count >= LogPage.byteCount { break }
        }
        if !isLines { bytes.append(UInt8(ascii: "]")) }
        return (bytes, last.flatMap { $0 < log?.lastVersion ?? 0 ? $0 : nil })
    }
}

/// The part of a session's log that a query asks for: `?after=17&limit=100&patch=1`.
struct LogPage {
    /// The entries of a page that asks for no number.
    private static let defaultLimit = 100
    /// The most entries of a page.
    private static let largestLimit = 1_000
    /// A page ends with the entry that makes it so large; the next one begins behind that.
    static let byteCount = 1 << 20

    /// The version behind which the page begins; nil for the oldest entry.
    let after: UInt64?
    let limit: Int
    let hasPatches: Bool

    /// - Parameter oldest: the version of the oldest state that the session has.
    init(_ query: Query, epoch: String, oldest: UInt64) throws(ProblemDetails) {
        if query.isMalformed {
            throw .badParameter("query", "percent-encoded UTF-8 is expected.")
        }
        if let text = query["after"] {
            let after = try Token.version(
                text, of: "after", epoch: epoch, oldest: oldest)
            guard after >= oldest else {
                throw .versionGone(oldest: oldest)
            }
            self.after = after
        } else {
            after = nil
        }
        limit = try query["limit"].map(Self.limit) ?? Self.defaultLimit
        hasPatches = try query["patch"].map(Self.flag) ?? false
    }

    private static func limit(_ text: String) throws(ProblemDetails) -> Int {
        guard let limit = Int(text), (1...largestLimit).contains(limit) else {
            throw .badParameter("limit", "a number from 1 to \(largestLimit) is expected.")
        }
        return limit
    }

    private static func flag(_ text: String) throws(ProblemDetails) -> Bool {
        guard text == "0" || text == "1" else {
            throw .badParameter("patch", "0 or 1 is expected.")
        }
        return text == "1"
    }

    /// The query of the page behind an entry.
    func next(after version: UInt64, epoch: String) -> String {
        "after=\(Token(epoch: epoch, version: version))&limit=\(limit)"
            + (hasPatches ? "&patch=1" : "")
    }
}

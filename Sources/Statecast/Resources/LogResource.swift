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
    /// The bytes of a page, and where the next one begins.
    private struct Written {
        var bytes: [UInt8] = []
        var last: UInt64?
        var hasNext = false
    }

    func get(
        _ request: SessionRequest, of session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let log = session.askForLog()
        let page = try LogPage(
            Query(request.head.query, in: bytes), epoch: session.epoch,
            oldest: log?.baseVersion ?? session.version)
        let isLines = Self.wantsLines(request.head, in: bytes)
        let tag = session.tag(of: log, as: isLines ? "lines" : "log")
        try Preconditions.check(request.head, in: bytes, tag: tag)
        let attempt = StateAnswer.respondIfUnchanged(
            since: tag, variance: "Accept, Accept-Encoding", to: request, in: bytes, on: loop)
        if attempt == .answered { return }
        let written = Self.write(page, of: log, session, asLines: isLines)
        request.exchange.respondNegotiated(
            to: request.head, in: bytes,
            contentType: isLines ? "application/x-ndjson" : "application/json",
            etag: String(decoding: tag, as: UTF8.self),
            body: NegotiatedBody(SharedBytes(written.bytes)), on: loop
        ) { writer in
            writer.field("Cache-Control", "private, no-cache")
            writer.vary(by: "Accept")
            guard written.hasNext, let last = written.last else { return }
            let query = page.next(after: last, epoch: session.epoch)
            let target = "\(session.mountName)/sessions/\(session.id)/log?\(query)"
            writer.field("Link", "<\(target)>; rel=\"next\"")
        }
    }

    /// The client rather has lines than an array.
    private static func wantsLines(_ head: RequestHead, in bytes: Span<UInt8>) -> Bool {
        guard head.value(.accept) != nil else { return false }
        return AcceptField.weight(ofType: "application/x-ndjson", head, in: bytes)
            > AcceptField.weight(ofType: "application/json", head, in: bytes)
    }

    /// The entries of a page: `[{"version":1,…},{"version":2,…}]`, or each on a line of its own.
    private static func write(
        _ page: LogPage, of log: EntryLog?, _ session: Session, asLines isLines: Bool
    ) -> Written {
        var written = Written()
        if !isLines { written.bytes.append(UInt8(ascii: "[")) }
        if let log {
            for entry in log.entries(after: page.after ?? log.baseVersion, limit: page.limit) {
                if !isLines, written.last != nil { written.bytes.append(UInt8(ascii: ",")) }
                entry.append(
                    to: &written.bytes,
                    epoch: session.epochBegun(by: entry.version),
                    withPatch: page.hasPatches)
                if isLines { written.bytes.append(UInt8(ascii: "\n")) }
                written.last = entry.version
                if written.bytes.count >= LogPage.byteCount { break }
            }
            written.hasNext = written.last ?? log.lastVersion < log.lastVersion
        }
        if !isLines { written.bytes.append(UInt8(ascii: "]")) }
        return written
    }
}

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
    /// A page ends with the entry that makes it so large; the next one begins behind that.
    private static let pageByteCount = 1 << 20

    /// The readings of one loop that the journal is at, by their weights: of 256 KiB each.
    static let readingLimit = 256
    static let pageWeight = 4
    /// A recording counts as sixteen pages.
    static let recordingWeight = 16 * pageWeight

    // MARK: The log

    /// `GET M/sessions/{id}/log?after=17&limit=100&patch=1`: the session's entries in their order, for
    /// the role *inspect*: `[{"version":1,…},{"version":2,…}]`, or each on a line of its own.
    func getLog(
        _ request: SessionRequest, of session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let token = session.token
        if session.isPastKept {
            return try readLog(request, of: session.id, token, in: bytes, on: loop)
        }
        guard try mayBegin(request, of: session, in: bytes, on: loop) else { return }
        let name = registry.name(of: session)
        let query = try LogQuery(request.head, of: name, token.epoch, in: bytes)
        let log = session.askForLog()
        let oldest = log?.baseVersion ?? token.version
        guard !query.isForeign, query.after ?? oldest >= oldest else {
            throw .versionGone(oldest: oldest)
        }
        let first = query.after ?? oldest
        let entries = log?.entries(after: first, limit: query.limit) ?? []
        try answer(request, query, (first, entries), token, in: bytes, on: loop)
    }

    /// The same, as the journal has it, through the version of a token.
    func readLog(
        _ request: SessionRequest, of id: SessionID, _ token: Token, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let name = registry.name(id, mount: request.mount)
        let query = try LogQuery(request.head, of: name, token.epoch, in: bytes)
        let limit = ReadLimit(entryCount: query.limit, byteCount: 2 * Self.pageByteCount)
        try read(for: request, id, in: bytes, on: loop) { (journal, name) throws(JournalFailure) in
            try await Self.page(behind: query.after, limit, of: name, in: journal)
        } then: { [self] (page, request, bytes) throws(ProblemDetails) in
            if query.isForeign { throw .versionGone(oldest: page.first) }
            let known = page.entries.filter { $0.version <= token.version }
            try answer(request, query, (page.first, known), token, in: bytes.span, on: loop)
        }
    }

    /// Entries, and the version behind which they stand.
    private typealias LogPage = (first: UInt64, entries: [EncodedEntry])

    /// Entries that the journal has behind a version, or the oldest ones.
    private static func page(
        behind version: UInt64?, _ limit: ReadLimit, of name: SessionName, in journal: any Journal
    ) async throws(JournalFailure) -> LogPage {
        let first = version ?? 0
        do throws(JournalFailure) {
            return (first, try await journal.entries(of: name, after: first, limit: limit))
        } catch {
            guard version == nil, case .compacted(let oldest?) = error else { throw error }
            return (oldest, try await journal.entries(of: name, after: oldest, limit: limit))
        }
    }

    /// The tag is the session's token, what the log is shown as, and the version that it begins with:
    /// `k3f9-42.log17`.
    private func answer(
        _ request: SessionRequest, _ query: LogQuery, _ page: LogPage, _ token: Token,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let name = query.isLines ? "lines" : "log"
        try request.respond(
            token.bytes + Array(".\(name)\(page.first)".utf8),
            type: query.isLines ? "application/x-ndjson" : "application/json",
            varyingBy: "Accept", in: bytes, on: loop
        ) { () throws(ProblemDetails) in
            let (body, last) = Self.write(page.entries, query)
            var link: (String, String)?
            if let last, last < token.version {
                let next = Token(epoch: token.epoch, version: last)
                let text = "after=\(next)&limit=\(query.limit)\(query.hasPatches ? "&patch=1" : "")"
                link = ("Link", "<\(query.path)?\(text)>; rel=\"next\"")
            }
            return (NegotiatedBody(SharedBytes(body)), link)
        }
    }

    /// The entries of a page, and the version of the last of them.
    private static func write(
        _ entries: [EncodedEntry], _ query: LogQuery
    ) -> ([UInt8], last: UInt64?) {
        var bytes: [UInt8] = query.isLines ? [] : [UInt8(ascii: "[")]
        var last: UInt64?
        for entry in entries where bytes.count < pageByteCount {
            if !query.isLines, last != nil { bytes.append(UInt8(ascii: ",")) }
            entry.append(to: &bytes, withPatch: query.hasPatches)
            if query.isLines { bytes.append(UInt8(ascii: "\n")) }
            last = entry.version
        }
        if !query.isLines { bytes.append(UInt8(ascii: "]")) }
        return (bytes, last)
    }

    // MARK: What the journal tells

    /// More may be read for a client now: its only reading, or no more than its share.
    func mayRead(_ weight: Int = pageWeight, for client: Accounts.Client) -> Bool {
        let (own, share) = (readings[client] ?? 0, context.limits.sessionShare)
        return readings.values.reduce(weight, +) <= Self.readingLimit
            && (own == 0 || own + weight <= Accounts.share(share, of: Self.readingLimit))
    }

    /// Has the journal tell something of a session's past, beside the loop, and goes on with the request in
    /// a turn of its own.
    ///
    /// - Parameters:
    ///   - weight: its part of what may be read at once.
    ///   - goOn: is given the request as whoever sends it may now.
    func read<Value: Sendable>(
        for request: SessionRequest, _ id: SessionID, weight: Int = pageWeight,
        in bytes: Span<UInt8>, on loop: isolated EventLoop,
        _ call:
            @escaping @Sendable (any Journal, SessionName) async throws(JournalFailure)
            -> Value,
        then goOn:
            @escaping (Value, SessionRequest, _ bytes: [UInt8]) throws(ProblemDetails) -> Void
    ) throws(ProblemDetails) {
        let client = gate.client(of: request, in: bytes)
        guard mayRead(weight, for: client) else { throw .busy }
        readings[client, default: 0] += weight
        let journal = context.journal
        let name = registry.name(id, mount: request.mount)
        let message = SharedBytes(copying: bytes.extracting(..<request.body.upperBound)).bytes
        Task.immediate {
            let result: Result<Value, JournalFailure>
            do throws(JournalFailure) {
                result = .success(try await call(journal, name))
            } catch {
                result = .failure(error)
            }
            let tell = { (isWanted: Bool) in
                let left = (self.readings[client] ?? weight) - weight
                self.readings[client] = left > 0 ? left : nil
                if isWanted { self.goOn(request, message, of: name, result, on: loop, goOn) }
            }
            // What the journal has changed is taken over at once, whoever still wants to know.
            guard request.head.method.isSafe else { return tell(true) }
            let route = self.route(request.head, request.plan, in: message.span)
            self.costly.wait(for: request.exchange, of: client, route, on: loop, tell)
        }
    }

    private func goOn<Value>(
        _ request: SessionRequest, _ message: [UInt8], of name: SessionName,
        _ result: Result<Value, JournalFailure>, on loop: isolated EventLoop,
        _ goOn: (Value, SessionRequest, _ bytes: [UInt8]) throws(ProblemDetails) -> Void
    ) {
        request.exchange.refusing(on: loop) { () throws(ProblemDetails) in
            guard !registry.lives.hasEnded(name, at: loop.now) else { throw .sessionEnded }
            // What the journal has changed is told, whoever may change it by now.
            let isSafe = request.head.method.isSafe
            let request = try isSafe ? askedAgain(request, in: message.span) : request
            switch result {
            case .success(let value): try goOn(value, request, message)
            case .failure(.compacted(let oldest?)): throw .versionGone(oldest: oldest)
            case .failure(.compacted(nil)): throw .versionNotReached
            case .failure(let failure): throw ProblemDetails(failure)
            }
        }
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

/// What a page of the log is asked to be.
private struct LogQuery {
    let path: String
    /// The version behind which it begins; nil for the oldest entry.
    let after: UInt64?
    /// The version is one of another epoch.
    let isForeign: Bool
    let limit: Int
    let hasPatches: Bool
    let isLines: Bool

    init(
        _ head: RequestHead, of name: SessionName, _ epoch: String, in bytes: Span<UInt8>
    ) throws(ProblemDetails) {
        let query = Query(head.query, in: bytes)
        try query.check()
        let text = query["after"]
        after = try text.flatMap { (text) throws(ProblemDetails) in
            try Token.version(text, of: "after", epoch: epoch)
        }
        isForeign = text != nil && after == nil
        limit = try query.limit()
        hasPatches = try query.value("patch", "0 or 1") { ["0": false, "1": true][$0] } ?? false
        isLines = head.prefers("application/x-ndjson", to: "application/json", in: bytes)
        path = "\(name)/log"
    }
}

import Bytes
import HTTPMessages
import HTTPServer
import HTTPTypes
import Journaling
import Redux
import Sessions
import Sockets
import StateCoding
import Threads

extension Router {
    /// `GET M/sessions/{id}/recording`: the session's timeline as a file of JSON Lines, for the role
    /// *inspect*: its last part; of a journal with `from=17` the part that begins there, or with the oldest
    /// entry, and a link to the next one.
    /// The first line is about the session, each further one is an entry with its patch:
    ///
    ///     {"application":"/counter","schema":1,"session":"demo","epoch":"k3f9","version":0,"state":{"count":0},…}
    ///     {"version":1,"at":1520,"origin":"client","action":{"type":"incremented"},"patch":[…]}
    func getRecording(
        _ request: SessionRequest, of session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        guard try mayBegin(request, of: session, in: bytes, on: loop) else { return }
        let token = session.token
        let query = Query(request.head.query, in: bytes)
        if let text = query["from"] {
            let version = try Token.version(text, of: "from", epoch: token.epoch)
            guard let version else { throw .versionGone(oldest: session.oldestVersion) }
            guard version <= token.version else { throw .versionNotReached }
            let end = try query["through"].flatMap { (text) throws(ProblemDetails) in
                try Token.version(text, of: "through", epoch: token.epoch)
            }
            return try getPart(
                version..<max(version, min(end ?? .max, token.version)), request, of: session,
                token,
                in: bytes, on: loop)
        }
        if !session.isPastKept { _ = session.askForLog() }
        let former = PastAnswer.known(to: Self.recording, of: session)
        if let former, former.recorded?.end == token.version {
            return try former.answer(request, in: bytes, on: loop)
        }
        try checkRoom(
            forPastOf: session, former == nil ? session.stateByteCount() : 0,
            of: gate.client(of: request, in: bytes))
        if session.isPastKept {
            let (limits, recorded) = (context.limits, former?.recorded)
            return try read(
                for: request, session.id, weight: Self.recordingWeight, in: bytes, on: loop
            ) { (journal, name) throws(JournalFailure) in
                try await Self.timeline(
                    of: name, behind: recorded, through: token.version, in: journal, limits)
            } then: { [self] (timeline, request, bytes) throws(ProblemDetails) in
                try answer(
                    request, of: session, token, timeline, behind: former, in: bytes.span, on: loop)
            }
        }
        try answer(
            request, of: session, token, remembered(of: session), behind: nil, in: bytes, on: loop)
    }

    /// What memory keeps of a session: its state alone, until it is asked for its past, or watched.
    private func remembered(of session: Session) throws(ProblemDetails) -> Timeline {
        if let log = session.askForLog() {
            return (
                log.baseVersion, log.base.bytes, log.start, nil,
                log.entries(after: log.baseVersion, limit: .max)
            )
        }
        guard let json = try session.json(of: session.projections.whole) else { throw .outOfScope }
        return (session.version, json.bytes, session.changed, nil, [])
    }

    /// The question that a recording is kept as an answer to, for the next one to go on from.
    private static let recording = "recording"

    /// A state, and the entries behind it; the time is that since which the state was there, the schema that
    /// of the state, nil: of now. No state: that and the first entries stand in the recording of before.
    private typealias Timeline = (
        version: UInt64, state: [UInt8]?, start: Timestamp?, schema: Int?, entries: [EncodedEntry]
    )

    /// The last entries that the journal has, as many as a session in memory would keep, or an eighth fewer:
    /// so the next recording begins there as well, and only what came since is read for it.
    private static func timeline(
        of name: SessionName, behind former: PastAnswer.Recorded?, through last: UInt64,
        in journal: any Journal, _ limits: SessionLimits
    ) async throws(JournalFailure) -> Timeline {
        let limit = ReadLimit(
            entryCount: limits.historyEntryCount, byteCount: limits.historyByteCount)
        let step = UInt64(max(1, limit.entryCount / 8))
        var version = (last - min(last, UInt64(limit.entryCount)) + step - 1) / step * step
        if let former, last - former.begin <= UInt64(limit.entryCount) {
            do throws(JournalFailure) {
                // Throws where the journal has begun to forget what the recording begins with.
                let one = ReadLimit(entryCount: 1, byteCount: 1)
                _ = try await journal.entries(of: name, after: former.begin, limit: one)
                var left = limit
                left.byteCount = max(1, limit.byteCount - former.byteCount)
                let more = try await journal.entries(of: name, after: former.end, limit: left)
                if more.last?.version ?? former.end >= last {
                    return (
                        former.begin, nil, former.start, nil, more.filter { $0.version <= last }
                    )
                }
            } catch {
                guard case .compacted = error else { throw error }
            }
        }
        while true {
            let document = try await document(of: name, from: version, through: last, in: journal)
            var entries: [EncodedEntry] = []
            if document.version < last {
                entries = try await journal.entries(of: name, after: document.version, limit: limit)
            }
            let known = entries.prefix { $0.version <= last }
            if known.last?.version ?? document.version >= last || version == last {
                return (
                    document.version, document.json, document.lastTime, document.schema,
                    Array(known)
                )
            }
            // They are too many bytes: half of them.
            version =
                max(version, document.version) + (last - max(version, document.version) + 1) / 2
        }
    }

    private func answer(
        _ request: SessionRequest, of session: Session, _ token: Token, _ timeline: Timeline,
        behind former: PastAnswer?, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let former = timeline.state == nil ? former : nil
        let known = former?.recorded?.end ?? 0
        // Another request may have brought it further meanwhile.
        if let former, known >= token.version {
            return try former.answer(request, in: bytes, on: loop)
        }
        let tag = token.bytes + Array(".recording\(timeline.version)".utf8)
        let asker = gate.client(of: request, in: bytes)
        try request.respond(
            tag, type: PastAnswer.typeOfRecordings, in: bytes, on: loop
        ) { () throws(ProblemDetails) in
            let entries = timeline.entries.drop { $0.version <= known }
            try checkRoom(
                forPastOf: session,
                entries.reduce(timeline.state?.count ?? 0) { $0 + $1.byteCount }, of: asker)
            let start = start(of: timeline, session)
            let body = write(timeline, behind: known, of: session, onto: former?.plain?.bytes)
            let name = "\(session.id)-\(token.version).ndjson"
            let field = ("Content-Disposition", value: "attachment; filename=\"\(name)\"")
            let made = former ?? PastAnswer(tag, nil)
            made.become(
                tag, SharedBytes(body), field,
                recorded: (timeline.version, start, token.version, body.count))
            made.keep(to: Self.recording, at: timeline.version, of: session, for: asker)
            return made.content()
        }
    }

    // MARK: Its parts

    /// What begins with the state that was visible at a version, or with the oldest that is kept: as many
    /// entries as one answer has, through a version or the last whole batch before it.
    private func getPart(
        _ versions: Range<UInt64>, _ request: SessionRequest, of session: Session, _ token: Token,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let asker = gate.client(of: request, in: bytes)
        try checkRoom(forPastOf: session, session.stateByteCount(), of: asker)
        guard session.isPastKept else {
            // That is one part.
            var part = try remembered(of: session)
            part.entries = Self.whole(part.entries, through: versions.upperBound, of: token.version)
            return try answer(
                request, of: session, token, part, through: part.entries.last?.version ?? 0,
                in: bytes, on: loop)
        }
        let limit = ReadLimit(
            entryCount: context.limits.historyEntryCount,
            byteCount: context.limits.historyByteCount)
        try read(
            for: request, session.id, weight: Self.recordingWeight, in: bytes, on: loop
        ) { (journal, name) throws(JournalFailure) in
            try await Self.part(of: name, versions, of: token.version, in: journal, limit)
        } then: { [self] (part, request, bytes) throws(ProblemDetails) in
            try checkRoom(
                forPastOf: session,
                part.entries.reduce(part.state?.count ?? 0) { $0 + $1.byteCount }, of: asker)
            try answer(
                request, of: session, token, part, through: versions.upperBound, in: bytes.span,
                on: loop)
        }
    }

    private static func part(
        of name: SessionName, _ versions: Range<UInt64>, of last: UInt64, in journal: any Journal,
        _ limit: ReadLimit
    ) async throws(JournalFailure) -> Timeline {
        let document = try await document(
            of: name, from: versions.lowerBound, through: last, in: journal)
        var (limit, entries): (ReadLimit, [EncodedEntry]) = (limit, [])
        while document.version < versions.upperBound {
            let read = try await journal.entries(of: name, after: document.version, limit: limit)
            entries = whole(read, through: versions.upperBound, of: last)
            guard entries.isEmpty, let end = read.last, end.version < versions.upperBound else {
                break
            }
            // A batch that is larger than a part is one, and no larger than a request has made it.
            (limit.entryCount, limit.byteCount) = (2 * limit.entryCount, .max)
        }
        return (document.version, document.json, document.lastTime, document.schema, entries)
    }

    /// Entries through a version, without a batch of which some stand behind it.
    private static func whole(
        _ entries: [EncodedEntry], through end: UInt64, of last: UInt64
    ) -> [EncodedEntry] {
        var known = entries.filter { $0.version <= end }
        while let entry = known.last, entry.version < last, !entry.isLast { known.removeLast() }
        return known
    }

    /// The state at a version, or the oldest that the journal keeps.
    private static func document(
        of name: SessionName, from version: UInt64, through last: UInt64, in journal: any Journal
    ) async throws(JournalFailure) -> StoredDocument {
        do throws(JournalFailure) {
            return try await journal.document(of: name, at: version)
        } catch {
            guard case .compacted(let oldest?) = error, oldest > version, oldest <= last
            else { throw error }
            return try await journal.document(of: name, at: oldest)
        }
    }

    private func answer(
        _ request: SessionRequest, of session: Session, _ token: Token, _ part: Timeline,
        through last: UInt64, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let end = part.entries.last?.version ?? part.version
        let tag = token.bytes + Array(".part\(part.version)-\(end)".utf8)
        try request.respond(
            tag, type: PastAnswer.typeOfRecordings, in: bytes, on: loop
        ) { () throws(ProblemDetails) in
            let body = write(part, behind: 0, of: session, onto: nil)
            let limit = last < token.version ? "&through=\(last)" : ""
            let next =
                "<\(registry.name(of: session))/recording?from=\(end)\(limit)>; rel=\"next\""
            return (
                NegotiatedBody(
                    SharedBytes(body),
                    isCompressible: body.count <= PastAnswer.compressedByteCount),
                end < last && end > part.version ? ("Link", next) : nil
            )
        }
    }

    /// Writes a timeline, or what of it is behind a version onto what there is.
    private func write(
        _ timeline: Timeline, behind known: UInt64, of session: Session, onto former: [UInt8]?
    ) -> [UInt8] {
        let start = start(of: timeline, session)
        var body =
            timeline.state.map { header(of: session, $0, timeline, since: start) }
            ?? former ?? []
        for entry in timeline.entries where entry.version > known {
            entry.append(to: &body, since: start, withPatch: true)
            body.append(UInt8(ascii: "\n"))
        }
        return body
    }

    /// The time that `at` of the entries counts from.
    private func start(of timeline: Timeline, _ session: Session) -> Timestamp {
        let isWhole = timeline.version == 0 && !session.isReplay
        return isWhole ? session.created : timeline.start ?? session.created
    }

    /// - Parameter start: the time that `at` of the entries counts from.
    private func header(
        of session: Session, _ state: [UInt8], _ timeline: Timeline, since start: Timestamp
    ) -> [UInt8] {
        // A replay has the names of what it plays.
        let played = session.isReplay ? session.askForLog()?.played : nil
        return ReplayedRecording.header(
            of: session.mountName.isEmpty ? "/" : session.mountName,
            schema: timeline.schema ?? registry.mounts[session.mount].schemaVersion,
            session: played?.session ?? "\(session.id)",
            epoch: played?.epoch ?? session.epoch, build: RunningBuild.id,
            created: session.created.iso8601, start: start.iso8601, version: timeline.version,
            state: state)
    }
}

import HTTPMessages
import HTTPServer
import HTTPTypes
import Journaling
import Sessions
import Sockets
import StateCoding

extension Router {
    /// `GET M/sessions/{id}/state`, at once or held until it changes.
    func getState(
        _ request: SessionRequest, of session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let query = Query(request.head.query, in: bytes)
        let wait = try wait(query, request.head, in: bytes)
        if let version = query["version"] {
            guard try mayBegin(request, of: session, in: bytes, on: loop) else { return }
            return try getPast(version, request, of: session, query, in: bytes, on: loop)
        }
        let selection = try Selection(query, for: request.principal, in: session.store)
        let projection = selection.projection(in: session)
        guard try mayShow(projection, of: session, to: request, in: bytes, on: loop) else { return }
        if session.isPublishing {
            try registry.performer.hurry(projection, of: session, on: loop)
        }
        try request.checkConditions(in: bytes, tag: session.tag(projection))
        let since = selection.standing(nil, of: projection, in: session).since
        session.remember(selection.viewer, of: projection, since: since)
        let prefersPatch =
            request.head.has(.ifNoneMatch)
            && request.head.prefers(
                "application/json-patch+json", to: "application/json", in: bytes)
        let seen =
            prefersPatch || wait != nil
            ? known(request.head, selection, projection, of: session, in: bytes) : nil
        let base = prefersPatch ? seen?.latest : nil
        if base != nil { session.keepPatches(of: projection) }
        guard let wait, wait > .zero, request.head.method == .get, let seen else {
            return try answer(
                request, projection, of: session, isLive: wait != nil, from: base, in: bytes,
                on: loop)
        }
        guard seen.isPresent else {
            return try request.exchange.show(projection, of: session, from: base, on: loop)
        }
        let chooser = selection.isChosen ? gate.client(of: request, in: bytes) : 0
        guard session.waiterCount < context.limits.waiterCount,
            session.projections.hasRoom(for: projection, of: chooser, context.limits)
        else { throw .tooManyWaiting }
        _ = try session.shows(projection)
        Waiter(
            session: session, projection: projection, viewer: selection.viewer, since: since,
            from: base, exchange: request.exchange, of: chooser
        ).wait(for: wait, on: loop)
    }

    /// The time for which the answer may be held, by the query or by Prefer.
    private func wait(
        _ query: Query, _ head: RequestHead, in bytes: Span<UInt8>
    ) throws(ProblemDetails) -> Duration? {
        if let text = query["wait"] {
            return try context.limits.wait(text, of: "wait")
        }
        let seconds = head.preference("wait", in: bytes)?.decimal(in: bytes)
        return seconds.map { min(.seconds($0), context.limits.waitDuration) }
    }

    /// What the client has of a projection, by the tags of `If-None-Match`: whether one of them stands for
    /// what is there now, as the current one does, and an earlier one since which the projection has not
    /// changed; and the latest version of which it has the value. Nil without the field.
    private func known(
        _ head: RequestHead, _ selection: Selection, _ projection: Projection,
        of session: Session, in bytes: Span<UInt8>
    ) -> (isPresent: Bool, latest: UInt64?)? {
        var latest: UInt64?
        let condition = EntityTag.condition(.ifNoneMatch, of: head, in: bytes) { tag in
            let tag = ProjectionTag(tag.string(in: bytes))
            let shown = selection.standing(tag, of: projection, in: session).shown
            if let shown { latest = max(latest ?? 0, shown) }
            return shown.map { session.projections.isPresent($0, in: projection) } ?? false
        }
        return condition.map { ($0 == .matches, latest) }
    }

    private func answer(
        _ request: SessionRequest, _ projection: Projection, of session: Session, isLive: Bool,
        from base: UInt64?, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let caching = isLive ? "no-store" : "private, no-cache"
        guard hasRoom(toShow: projection, of: session) else { throw .shortOfMemory }
        guard try session.shows(projection) else { throw .outOfScope }
        try request.respond(session.tag(projection), caching: caching, in: bytes, on: loop) {
            () throws(ProblemDetails) in
            if request.exchange.showChange(of: projection, session, from: base, on: loop) {
                return nil
            }
            guard let json = try session.json(of: projection) else { throw .outOfScope }
            return (body(of: projection, json), nil)
        }
    }

    /// There is memory for the JSON of a projection. What is not very large is shown whatever is held.
    func hasRoom(toShow projection: Projection, of session: Session) -> Bool {
        let byteCount = session.showingByteCount(projection)
        return byteCount < Self.largeByteCount || context.budget.hasRoom(for: byteCount)
    }

    private static var largeByteCount: Int { 1 << 20 }

    /// The JSON in the forms that clients ask for, one for all answers until it changes.
    private func body(of projection: Projection, _ json: SharedBytes) -> NegotiatedBody {
        if let known = projection.body as? NegotiatedBody { return known }
        let made = NegotiatedBody(json)
        projection.body = made
        return made
    }

    // MARK: The past

    /// `GET M/sessions/{id}/state?version=17`: the state as it was, to each as the views of the
    /// application show that state.
    private func getPast(
        _ text: String, _ request: SessionRequest, of session: Session, _ query: Query,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let wish = try Selection(query, for: request.principal, in: session.store)
        let version = try Token.version(text, of: "version", epoch: session.epoch)
        let question = wish.question(at: version, of: session)
        if let known = PastAnswer.known(to: question, of: session) {
            return try known.answer(request, in: bytes, on: loop)
        }
        let asker = gate.client(of: request, in: bytes)
        try checkRoom(forPastOf: session, session.stateByteCount(), of: asker)
        let isKnown = version.map { $0 >= session.store.lastChange } ?? false
        if isKnown || !session.isPastKept {
            guard let version else { throw .versionGone(oldest: session.oldestVersion) }
            return try show(
                session.past(at: version), at: version, request, of: session, in: bytes, on: loop)
        }
        try readPast(
            version, request, of: session.id, session.stateByteCount(), in: bytes, on: loop
        ) { [self] (past, request, bytes) throws(ProblemDetails) in
            try checkRoom(forPastOf: session, past.json.count, of: asker)
            try show(past, at: version, request, of: session, in: bytes.span, on: loop)
        }
    }

    /// Throws where there is no memory for an answer about a session's past, or where so many others wait for
    /// their clients, or this one, to take them.
    func checkRoom(
        forPastOf session: Session, _ byteCount: Int, of asker: Accounts.Client
    ) throws(ProblemDetails) {
        try context.budget.checkRoom(for: byteCount)
        guard session.projections.hasRoomForPast(byteCount, of: asker) else { throw .pastIsFull }
    }

    /// A state, with the version at which it was visible.
    private typealias Past = (version: UInt64, json: SharedBytes)

    private func readPast(
        _ version: UInt64?, _ request: SessionRequest, of id: SessionID, _ byteCount: Int = 0,
        in bytes: Span<UInt8>, on loop: isolated EventLoop,
        _ show: @escaping (Past, SessionRequest, _ bytes: [UInt8]) throws(ProblemDetails) -> Void
    ) throws(ProblemDetails) {
        let weight = min(Self.pageWeight * (1 + byteCount >> 20), Self.readingLimit)
        try read(for: request, id, weight: weight, in: bytes, on: loop) {
            (journal, name) throws(JournalFailure) in
            try await journal.document(of: name, at: version ?? 0)
        } then: { [context] (document, request, bytes) throws(ProblemDetails) in
            guard version != nil else { throw .versionGone(oldest: document.version) }
            guard !document.isUnsafe else { throw .versionNotShown }
            context.journal.reads(document)
            defer { context.journal.reads(document, isDone: true) }
            try show((document.version, SharedBytes(document.json)), request, bytes)
        }
    }

    /// The request is for something that may be there although the session cannot be read.
    func isOfPast(
        _ request: SessionRequest, in bytes: Span<UInt8>, without problem: ProblemDetails
    ) -> Bool {
        guard problem.isUnreadable, request.resource != .log else { return problem.isUnreadable }
        return request.resource == .state && request.head.method != .put
            && problem != .unsafeToOpen
            && Query(request.head.query, in: bytes)["version"] != nil
    }

    /// The log of a session that cannot be read, or a state of before, as far as these can.
    func getPast(
        _ request: SessionRequest, of id: SessionID, _ problem: ProblemDetails,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        try read(for: request, id, in: bytes, on: loop) { (journal, name) throws(JournalFailure) in
            try await journal.summary(of: name)
        } then: { [self] (summary, request, bytes) throws(ProblemDetails) in
            guard let summary else { throw problem }
            try readPast(request, of: id, summary, in: bytes.span, on: loop)
        }
    }

    private func readPast(
        _ request: SessionRequest, of id: SessionID, _ summary: SessionSummary,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let query = Query(request.head.query, in: bytes)
        guard let text = query["version"], request.resource != .log else {
            // Where it ends is not known: there the next page is refused.
            let token = Token(epoch: summary.epoch, version: .max)
            return try readLog(request, of: id, token, in: bytes, on: loop)
        }
        let version = try Token.version(text, of: "version", epoch: summary.epoch)
        try readPast(version, request, of: id, in: bytes, on: loop) {
            [self] (past, request, bytes) throws(ProblemDetails) in
            let session = registry.makeReplay(
                id, request.mount, of: EntryLog(past, since: summary.created),
                epoch: summary.epoch, created: summary.created, on: loop)
            defer { session.end() }
            try show(past, at: version, request, of: session, in: bytes.span, on: loop)
        }
    }

    /// - Parameter version: what was asked for.
    private func show(
        _ past: Past, at version: UInt64?, _ request: SessionRequest, of session: Session,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let query = Query(request.head.query, in: bytes)
        let wish = try Selection(query, for: request.principal, in: session.store)
        let question = wish.question(at: version, of: session)
        let projection = session.projection(
            of: past.json, at: past.version, view: wish.view, wish.pointer, for: wish.viewer)
        guard let projection else { throw .versionNotShown }
        let tag = session.tag(projection, at: past.version)
        guard past.version < session.store.lastChange else {
            // What is there now may hold secrets, and is kept as long as it is that.
            try request.checkConditions(in: bytes, tag: tag)
            guard let json = projection.json else { throw .outOfScope }
            return try request.respond(tag, in: bytes, on: loop) {
                (body(of: projection, json), nil)
            }
        }
        let answer = PastAnswer(tag, projection.json)
        answer.keep(
            to: question, at: past.version, of: session, for: gate.client(of: request, in: bytes))
        try answer.answer(request, in: bytes, on: loop)
    }
}

extension Selection {
    /// What is asked for of a state of before, at a version; nil: one of another epoch.
    fileprivate func question(at version: UInt64?, of session: Session) -> AnyHashable {
        let isForAll = view == nil && session.store.showsState
        let parts: [AnyHashable?] = [version, view, pointer, isForAll ? nil : viewer]
        return parts
    }
}

/// An answer about the past, which is kept for a while, in both forms.
final class PastAnswer {
    /// A larger one is compressed once it is asked for again, and nobody has to wait for that who asks
    /// for another version each time.
    private static let promptByteCount = 512 << 10
    /// A larger one is sent as it is: to compress it would keep the loop for too long.
    static let compressedByteCount = 3 << 19

    static let typeOfRecordings = "application/x-ndjson"

    private var tag: [UInt8]
    private var field: (String, value: String)?
    /// Nil where it was out of scope.
    private(set) var plain: SharedBytes?
    /// The forms of the answer, once it may be compressed.
    private var body: NegotiatedBody?
    private var wasGiven = false
    /// The part of the timeline that a recording tells.
    private(set) var recorded: Recorded?
    /// The version of the state that it begins with, the time that `at` counts from, the version of the last
    /// entry, and the bytes of all.
    typealias Recorded = (begin: UInt64, start: Timestamp, end: UInt64, byteCount: Int)

    init(_ tag: [UInt8], _ plain: SharedBytes?) {
        self.tag = tag
        // By itself, so that it is known how long it is sent, also where others have the same array.
        self.plain = plain.map { SharedBytes($0.bytes) }
    }

    /// A recording has gone on.
    func become(
        _ tag: [UInt8], _ plain: SharedBytes, _ field: (String, value: String), recorded: Recorded
    ) {
        (self.tag, self.plain, self.field, self.recorded) = (tag, plain, field, recorded)
        (body, wasGiven) = (nil, false)
    }

    /// Nil where it was out of scope.
    func content() -> (NegotiatedBody, field: (String, value: String)?)? {
        guard let plain else { return nil }
        let most = wasGiven ? Self.compressedByteCount : Self.promptByteCount
        let content = body ?? NegotiatedBody(plain, isCompressible: plain.count <= most)
        if wasGiven || plain.count <= most { body = content }
        wasGiven = true
        return (content, field)
    }

    static func known(to question: AnyHashable, of session: Session) -> PastAnswer? {
        session.projections.pastAnswer(to: question) as? PastAnswer
    }

    func keep(
        to question: AnyHashable, at version: UInt64, of session: Session,
        for asker: Accounts.Client
    ) {
        session.projections.keep(self, to: question, at: version, plain, of: asker)
    }

    func answer(
        _ request: SessionRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        try request.checkConditions(in: bytes, tag: tag)
        guard let content = content() else { throw .outOfScope }
        let type = recorded == nil ? "application/json" : Self.typeOfRecordings
        try request.respond(tag, type: type, in: bytes, on: loop) { content }
    }
}

extension Session {
    /// The state at a version that memory knows, with the version at which it was visible.
    func past(
        at version: UInt64
    ) throws(ProblemDetails) -> (version: UInt64, json: SharedBytes) {
        try ProblemDetails.refusing { () throws(Refusal) in try state(at: version) }
    }
}

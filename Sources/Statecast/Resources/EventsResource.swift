import HTTPMessages
import HTTPServer
import HTTPTypes
import Journaling
import Sessions
import Sockets

extension Router {
    /// `GET M/sessions/{id}/events` (the article *Streams and polling*): answers with a stream of the
    /// selected projection. It begins with the state, or where the client has that with the id alone.
    ///
    /// - Parameter former: the state that the client has seen a part of; nil where it was not asked for.
    func openEvents(
        _ request: SessionRequest, on session: Session, from former: FormerState? = nil,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let head = request.head
        let query = Query(head.query, in: bytes)
        let selection = try Selection(query, for: request.principal, in: session.store)
        var projection = selection.projection(in: session)
        guard try mayShow(projection, of: session, to: request, in: bytes, on: loop) else { return }
        if session.isPublishing {
            try registry.performer.hurry(projection, of: session, on: loop)
        }
        try request.checkConditions(in: bytes, tag: session.tag(projection))
        let endsOutOfScope = try query.has("until", of: "out-of-scope")
        let isCompressible = try query.has("compression", of: "gzip")
        let hasPatches = try query.has("patch", of: "json-patch")
        let throttle = try query.throttle()
        let known =
            (head.value(.lastEventID)?.string(in: bytes) ?? query["last_event_id"]
            ?? query["lastEventId"]).flatMap { ProjectionTag($0) }
        let isAffordable = hasRoom(toShow: projection, of: session)
        let isInScope = isAffordable ? try session.shows(projection) : false
        if isAffordable, !isInScope { projection = session.projections.absence(of: projection) }
        if hasPatches, projection === session.projections.whole,
            let shown = selection.standing(known, of: projection, in: session).shown,
            session.lacksPatches(since: shown)
        {
            session.keepPatches(of: projection)
            let outcome = registry.fetchPatches(of: session, behind: shown, on: loop)
            return try goOn(request, session.id, outcome, in: bytes, on: loop)
        }
        let client = gate.client(of: request, in: bytes)
        let shown = selection.standing(known, of: projection, in: session).shown
        if hasPatches, former == nil, session.isPastKept, let shown,
            !session.projections.isPresent(shown, in: projection),
            mayRead(weight(ofFormer: session), for: client),
            projection.pointer(lackingPatchesSince: shown) != nil
        {
            return try readFormer(request, of: session, at: shown, in: bytes, on: loop)
        }
        let watcher = StreamWatcher(
            session: session, projection: projection, by: selection.viewer.principal,
            StreamWatcher.Kind(
                hasPatches: hasPatches,
                isLines: head.prefers("application/x-ndjson", to: "text/event-stream", in: bytes),
                throttle: throttle),
            endsOutOfScope: endsOutOfScope,
            of: selection.isChosen ? client : 0,
            absent: projection.isAbsence ? selection.pointer : nil)
        let hasRoom =
            isAffordable && hasRoomForStream(of: client)
            && session.watcherCount < context.limits.watcherCount
            && session.projections.hasRoom(
                for: projection, of: watcher.chooser, context.limits)
        let prefersGzip = isCompressible && AcceptField.prefers(coding: "gzip", head, in: bytes)
        start(
            watcher, request.exchange, of: client, isCompressible: isCompressible,
            isCompressed: prefersGzip && hasRoom, retry: hasRoom ? 4_000 : 10_000, on: loop)
        guard let stream = watcher.stream else { return }
        guard hasRoom else { return watcher.end("busy", on: loop) }
        // The selection, or the arguments of the view, are kept about twice.
        stream.hold(2 * head.query.range.count)
        watcher.beginPace(waitingBehind: context.limits.watcherByteCount)
        let standing = selection.standing(known, of: projection, in: session)
        watcher.setShown(standing.shown)
        session.add(watchers: 1, to: projection, of: watcher.chooser)
        Audience.of(projection)
            .add(watcher, of: selection.viewer, since: standing.since, at: loop.now)
        registry.performer.deadlines.expect(
            session, by: loop.now.advanced(by: context.limits.pingDuration))
        sendFirst(watcher, isInScope: isInScope, former, on: loop)
        registry.facts.came(watcher, on: loop)
        checks?.add(watcher, request, by: gate, in: bytes, on: loop)
    }

    /// A client may have one more stream.
    private func hasRoomForStream(of client: Accounts.Client) -> Bool {
        let limits = shared.configuration.limits
        return context.budget.withAccounts {
            $0.hasRoom(
                .streams, of: client, limit: limits.connectionCount, share: limits.clientShare)
        }
    }

    /// Sends a stream what it begins with.
    private func sendFirst(
        _ watcher: StreamWatcher, isInScope: Bool, _ former: FormerState?,
        on loop: isolated EventLoop
    ) {
        let (projection, shown) = (watcher.projection, watcher.shown)
        let isPresent = shown.map { watcher.session.projections.isPresent($0, in: projection) }
        if isInScope, isPresent ?? false {
            watcher.sendID(on: loop)
        } else if let former, let state = former.json, former.version == shown,
            let pointer = projection.pointer(lackingPatchesSince: former.version),
            let operations = projection.operations(from: state, at: pointer)
        {
            watcher.sendOperations(operations, from: former.version, on: loop)
        } else {
            watcher.sendState(on: loop)
        }
    }

    /// The version that a client names, and the state of then; nil where it is gone.
    typealias FormerState = (version: UInt64, json: [UInt8]?)

    /// Many clients of one address come back at once: of a small state more is read.
    private func weight(ofFormer session: Session) -> Int {
        min(1 + session.stateByteCount() >> 18, Self.readingLimit)
    }

    /// Has the journal tell the state that a client has seen a part of, so that it is sent what has become of
    /// that part, and not all of it.
    private func readFormer(
        _ request: SessionRequest, of session: Session, at version: UInt64,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let weight = weight(ofFormer: session)
        try read(for: request, session.id, weight: weight, in: bytes, on: loop) {
            (journal, name) async throws(JournalFailure) -> [UInt8]? in
            try? await journal.document(of: name, at: version).json
        } then: { [self] (json, request, bytes) throws(ProblemDetails) in
            guard !session.isEnded else { return try handle(request, in: bytes.span, on: loop) }
            try openEvents(
                request, on: session, from: (version, json), in: bytes.span, on: loop)
        }
    }

    /// Starts the stream of a watcher, as far as the client can have one.
    ///
    /// - Parameters:
    ///   - isCompressible: the client has named a coding.
    ///   - retry: the longest time, in milliseconds, after which the client may come again.
    private func start(
        _ watcher: StreamWatcher, _ exchange: Exchange, of client: Accounts.Client,
        isCompressible: Bool, isCompressed: Bool, retry: Int, on loop: isolated EventLoop
    ) {
        let isEvents = !watcher.kind.isLines
        let stream = exchange.startStream(
            source: watcher, of: client, age: context.limits.streamAge, compressed: isCompressed,
            on: loop
        ) { writer in
            writer.content(
                isEvents ? "text/event-stream" : "application/x-ndjson",
                caching: "no-store, no-transform")
            writer.field("X-Accel-Buffering", "no")
            if isCompressible { writer.vary(by: "Accept-Encoding") }
        }
        guard stream.isOpen else { return }
        watcher.stream = stream
        if isEvents {
            // The clients that lose a server at one moment come back at many.
            let retry = Int.random(in: 2_000...retry)
            stream.send(StreamEvent.retry(milliseconds: retry), on: loop)
        }
    }
}

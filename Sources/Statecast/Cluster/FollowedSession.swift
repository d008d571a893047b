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

/// Serves the many watchers here of a session that another server has: by one stream of the whole state from
/// there, and by the application's views here.
///
/// Where that stream breaks, another one goes on behind it, from whoever has the session then. Where none
/// does, the watchers' streams end, and their clients come again.
final class FollowedSession: TimerHandler {
    /// The streams of one session at which one more has the server follow it, and fewer than which a server
    /// stops to, where it has found so few twice.
    static let (count, fewCount) = (15, 8)
    /// The sessions that one loop follows.
    static let limit = 1_024
    private static let lookPause = Duration.seconds(30)
    /// The time for a question of what is shown at the other server, and for it to be shown here.
    private static let askDuration = Duration.seconds(2)
    /// What cannot be followed is not tried again for so long.
    static let refusedDuration = Duration.seconds(60)

    let name: SessionName
    private let id: SessionID
    private let mount: Int
    private let state = FollowedState()
    /// Nil before the first state.
    private(set) var session: Session?
    private unowned let router: Router
    private let peers: Peers
    private var holder: SocketAddress
    private var stream: PeerRequest?
    private var question: PeerRequest?
    private var arrivals = Arrivals<RelayedRequest>()
    /// In a row.
    private var failures = 0
    /// The stream has said something.
    private var isLive = false
    private var hasFew = false
    private(set) var isOver = false
    /// The change before is still being shown.
    private var awaitsTurn = false
    private var (look, next, patience) = (Timer.none, Timer.none, Timer.none)

    init(
        _ relayed: RelayedRequest, at holder: SocketAddress, _ peers: Peers, _ router: Router,
        on loop: isolated EventLoop
    ) {
        (name, id, mount) = (relayed.name, relayed.id, relayed.request.mount)
        (self.holder, self.peers, self.router) = (holder, peers, router)
        look = loop.schedule(after: Self.lookPause, self)
        open(on: loop)
    }

    private var registry: SessionRegistry { router.registry }

    // MARK: Those who watch

    /// Has a client be shown the session from here.
    func join(_ relayed: RelayedRequest, on loop: isolated EventLoop) {
        if relayed.request.isAdmitted, let session { return show(session, to: relayed, on: loop) }
        arrivals.join(relayed)
        ask(on: loop)
    }

    /// Asks what the other server shows, for those who wait.
    private func ask(on loop: isolated EventLoop) {
        guard isLive, question == nil, arrivals.ask() else { return }
        patience = loop.schedule(after: Self.askDuration, self)
        let question = PeerRequest(
            isHead: true, silence: Self.askDuration, by: peers.connections
        ) { [self] news in
            switch news {
            case .began(200, let tag): answered(tag, on: loop)
            case .began: lose(on: loop)
            case .body: break
            case .ended(let isWhole):
                self.question = nil
                if isWhole { ask(on: loop) } else { lose(on: loop) }
            }
        }
        self.question = question
        question.begin(request("HEAD"), to: holder, on: loop)
    }

    private func answered(_ tag: String?, on loop: isolated EventLoop) {
        guard let tag, let token = Token(tag.filter { $0 != "\"" }) else { return }
        arrivals.answered(token)
        admit(on: loop)
    }

    private func admit(on loop: isolated EventLoop) {
        guard let session else { return }
        let admitted = arrivals.admitted(at: session.token)
        guard !admitted.isEmpty else { return }
        loop.cancel(patience)
        for relayed in admitted { show(session, to: relayed, on: loop) }
        ask(on: loop)
    }

    private func show(
        _ session: Session, to relayed: RelayedRequest, on loop: isolated EventLoop
    ) {
        var relayed = relayed
        relayed.request.isAdmitted = true
        relayed.request.exchange.refusing(on: loop) { () throws(ProblemDetails) in
            let bytes = relayed.message.span
            let request = try router.askedAgain(relayed.request, in: bytes)
            try router.openEvents(request, on: session, in: bytes, on: loop)
        }
    }

    // MARK: The stream

    private func open(on loop: isolated EventLoop) {
        state.begin()
        patience = loop.schedule(after: Self.askDuration, self)
        var status = 0
        let silence = router.context.limits.pingDuration * 3
        let stream = PeerRequest(
            limit: .max, silence: silence, by: peers.connections
        ) { [self] news in
            switch news {
            case .began(let code, _): status = code
            case .body(let bytes) where status == 200: read(bytes, on: loop)
            case .body: break
            // It does not have the session, or cannot say.
            case .ended where [0, 200, 407, 421, 503].contains(status): lose(on: loop)
            case .ended: end(isRefused: true, on: loop)
            }
        }
        self.stream = stream
        stream.begin(request("GET"), to: holder, on: loop)
    }

    /// A request that only servers make: of no client.
    private func request(_ method: String) -> [UInt8] {
        let schema = registry.mounts[mount].schemaVersion
        let behind = state.token.map { "&last_event_id=\($0)" } ?? ""
        let past = session?.projections.pastBegin ?? 0
        return ClusterKeys.own(
            "\(method) \(name.mount)/sessions/\(id)/events?build=\(RunningBuild.id)"
                + "&schema=\(schema)&past=\(past)\(behind)")
    }

    private func read(_ bytes: [UInt8], on loop: isolated EventLoop) {
        do throws(FollowedState.Fault) {
            try state.read(bytes)
        } catch {
            switch error {
            case .ended: return lose(on: loop)
            // What cannot be read from its beginning on never can.
            case .lost: return end(isRefused: session == nil, on: loop)
            case .secret: return end(isRefused: true, on: loop)
            }
        }
        guard let token = state.token else { return }
        if !isLive { begin(in: token.epoch, on: loop) }
        guard let session, !awaitsTurn else { return }
        awaitsTurn = true
        registry.performer.onceShown(session) { [self] in
            awaitsTurn = false
            guard !isOver else { return }
            state.show()
            registry.performer.perform(session, on: loop)
            admit(on: loop)
        }
    }

    /// The stream goes on from here.
    private func begin(in epoch: String, on loop: isolated EventLoop) {
        (isLive, failures) = (true, 0)
        loop.cancel(patience)
        if session == nil {
            state.show()
            session = registry.makeReplay(
                id, mount, of: state, epoch: epoch, created: registry.context.now(), on: loop)
        }
        // Those whom the other server has been asked for come again.
        for relay in (peers.streams[name] ?? [:]).values {
            relay.finish(with: StreamWatcher.soonAgain, on: loop)
        }
        ask(on: loop)
    }

    /// The stream has broken: another one goes on, if there is one in time. The other server may have
    /// forgotten what was before.
    private func lose(on loop: isolated EventLoop) {
        guard let session, failures < Peers.patientPauses.count else {
            return end(isRefused: session == nil, on: loop)
        }
        session.forget(before: session.version, on: loop)
        arrivals.askAnew()
        hangUp(on: loop)
        next = loop.schedule(after: Peers.patientPauses[failures], self)
        failures += 1
    }

    /// Goes on elsewhere where the other server has been given up by all others: one that hangs ends nothing.
    func leave(_ gone: Set<String>, on loop: isolated EventLoop) {
        if stream != nil, gone.contains("\(holder)") { lose(on: loop) }
    }

    private func hangUp(on loop: isolated EventLoop) {
        isLive = false
        stream.take()?.giveUp(on: loop)
        question.take()?.giveUp(on: loop)
        loop.cancel(patience)
        loop.cancel(next)
    }

    private func openNext(on loop: isolated EventLoop) {
        let journal = router.context.journal
        Task.immediate {
            let holder = await journal.address(of: name)
            guard !isOver, stream == nil else { return }
            guard let holder else { return self.end(on: loop) }
            self.holder = holder
            self.open(on: loop)
        }
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        switch timer {
        case patience: return lose(on: loop)
        case next: return openNext(on: loop)
        default: break
        }
        let hadFew = hasFew
        hasFew = (session?.watcherCount ?? 0) < Self.fewCount
        guard !hadFew || !hasFew else { return end(on: loop) }
        look = loop.schedule(after: Self.lookPause, self)
    }

    /// The session is not followed any more: its watchers come again.
    ///
    /// - Parameter isRefused: it cannot be, for a while.
    private func end(isRefused: Bool = false, on loop: isolated EventLoop) {
        guard !isOver else { return }
        isOver = true
        hangUp(on: loop)
        loop.cancel(look)
        registry.forget(self, isRefused: isRefused, at: loop.now)
        for relayed in arrivals.leave() { router.tryAgain(relayed, on: loop) }
        guard let session else { return }
        registry.performer.deadlines.remove(session)
        registry.performer.hurryStreams(of: session, on: loop)
        session.end(.unknown)
        registry.performer.endStreams(of: session, nil, on: loop)
    }
}

extension SessionRegistry {
    /// The one who follows a session that many watch here; nil where its watchers' requests are passed on.
    func follower(
        for relayed: RelayedRequest, at holder: SocketAddress, _ peers: Peers, _ router: Router,
        on loop: isolated EventLoop
    ) -> FollowedSession? {
        let (request, name) = (relayed.request, relayed.name)
        guard request.resource == .events, case .get = request.head.method,
            request.triesCount == 0
        else { return nil }
        if let known = followers[name] { return known }
        guard peers.streams[name]?.count ?? 0 >= FollowedSession.count,
            followers.count < FollowedSession.limit, !mounts[request.mount].wantsSessionFacts
        else { return nil }
        if let end = refusedFollowers[name], loop.now < end { return nil }
        let made = FollowedSession(relayed, at: holder, peers, router, on: loop)
        guard !made.isOver else { return nil }
        followers[name] = made
        context.metrics.followers = followers.count
        return made
    }

    fileprivate func forget(_ follower: FollowedSession, isRefused: Bool, at now: Instant) {
        followers[follower.name] = nil
        context.metrics.followers = followers.count
        guard isRefused else { return }
        if refusedFollowers.count >= FollowedSession.limit { refusedFollowers = [:] }
        refusedFollowers[follower.name] = now.advanced(by: FollowedSession.refusedDuration)
    }
}

// MARK: The server that has the session

extension Router {
    /// Shows the whole state of a session to another server, which shows it to its clients, or tells which
    /// version is shown. Another build may show them something else.
    func showToServer(
        _ request: SessionRequest, _ session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let (exchange, whole) = (request.exchange, session.projections.whole)
        let query = Query(request.head.query, in: bytes)
        guard query["build"] == RunningBuild.id,
            query["schema"] == "\(session.store.schemaVersion)", !session.isReplay
        else { return exchange.respond(.notAcceptable, on: loop) { _ in } }
        if exchange.isHead {
            // What is forgotten since is to be forgotten there before the next one is shown anything.
            let past = query["past"].flatMap { UInt64($0) } ?? 0
            guard past >= session.projections.pastBegin else {
                return exchange.respond(.preconditionFailed, on: loop) { _ in }
            }
            // Also that what has not changed is of a later version is told by now.
            registry.performer.breakSilence(of: session, on: loop)
            return exchange.respond(.ok, on: loop) { writer in
                writer.field("ETag", "\"\(session.token)\"")
                writer.endHead()
            }
        }
        guard hasRoom(toShow: whole, of: session) else { throw .shortOfMemory }
        guard try session.shows(whole) else { throw .outOfScope }
        let watcher = StreamWatcher(
            session: session, projection: whole, by: .anonymous,
            StreamWatcher.Kind(hasPatches: true, isLines: false), endsOutOfScope: false, of: 0,
            absent: nil)
        watcher.isOfServer = true
        watcher.stream = exchange.startStream(source: watcher, of: 0, on: loop) { writer in
            writer.content("text/event-stream", caching: "no-store")
        }
        guard watcher.stream?.isOpen ?? false else { return }
        let known = query["last_event_id"].flatMap { ProjectionTag($0) }
        watcher.setShown(known?.version(in: session.epoch, "", through: session.version))
        session.add(watchers: 1, to: whole)
        Audience.of(whole).add(watcher, of: Viewer(.anonymous), since: 0, at: loop.now)
        let ping = loop.now.advanced(by: context.limits.pingDuration)
        registry.performer.deadlines.expect(session, by: ping)
        watcher.sendFromLastChange(on: loop)
    }
}

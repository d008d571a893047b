import HTTPMessages
import HTTPServer
import Journaling
import Redux
import Sessions
import Sockets
import Synchronization

extension ServerParts {
    /// Tells the other servers of this one, which is given no sessions before it takes requests.
    func announce() {
        guard let (_, address) = cluster.withLock({ $0 }) else { return }
        let isReady = lifecycle.isReady.load(ordering: .relaxed)
        let relayed = lifecycle.relayed
        var server = LiveServer(
            address: "\(address)", share: configuration.cluster?.share ?? 1,
            isDraining: isDraining || !isReady, relayCount: relayed.count,
            followedCount: relayed.followed)
        for mount in mounts { server.schemas[mount.name] = mount.schemaVersion }
        configuration.journal.announce(server)
    }

    /// This one goes.
    var isDraining: Bool { lifecycle.isDraining.load(ordering: .relaxed) }

    /// Those of the others that stay.
    var successors: [LiveServer] {
        guard let (_, address) = cluster.withLock({ $0 }) else { return [] }
        return configuration.journal.servers.filter { !$0.isDraining && $0.address != "\(address)" }
    }

    /// Gives all sessions to other servers, and those that come, as long as there are any.
    ///
    /// - Returns: how many are still here.
    @discardableResult
    func drain(within duration: Duration) async -> Int {
        guard cluster.withLock({ $0 }) != nil else { return 0 }
        lifecycle.isReady.store(false, ordering: .relaxed)
        lifecycle.isDraining.store(true, ordering: .relaxed)
        announce()
        _ = await configuration.journal.readServers()
        return await handOverAll(within: duration)
    }

    @discardableResult
    func handOverAll(within duration: Duration) async -> Int {
        let left = await directory.gather { registry, loop, told in
            registry.handOverAll(within: duration, on: loop, told)
        }
        return left.reduce(0, +)
    }
}

extension Array {
    /// Its parts in the order in which sessions leave a server: first those that nobody uses, many by one
    /// commit; then the others, few at a time, as somebody waits for each.
    func departures(
        unused: Int = 500, used: Int = 64, isUnused: (Element) -> Bool
    ) -> [ArraySlice<Element>] {
        var sorted = self
        let middle = sorted.partition { !isUnused($0) }
        func parts(_ range: Range<Int>, of count: Int) -> [ArraySlice<Element>] {
            stride(from: range.lowerBound, to: range.upperBound, by: count).map {
                sorted[$0..<Swift.min($0 + count, range.upperBound)]
            }
        }
        return parts(0..<middle, of: unused) + parts(middle..<sorted.count, of: used)
    }
}

extension SessionRegistry {
    /// What is under way in a session may take so long to finish; else the session stays for now. Who asks
    /// meanwhile waits for that and for two commits.
    private static let finishDuration = Duration.milliseconds(150)
    private static let lookPause = Duration.milliseconds(2)
    private static let roundPause = Duration.milliseconds(10)
    /// What has come to a server that goes is given away each second, in so much of it.
    private static let sweepDuration = Duration.milliseconds(500)

    /// It is about to go to another server: who asks for it waits.
    func isLeaving(_ session: Session) -> Bool {
        lives.count(at: .sleeping) > 0 && lives.stage(of: name(of: session)) == .sleeping
    }

    /// Nobody has it, and another server may open it as this one goes.
    func isLeft(_ id: SessionID, mount: Int) -> Bool {
        context.shared.isDraining && !context.shared.successors.isEmpty
            && lives.stage(of: name(id, mount: mount)) == nil
    }

    /// Once a second the others are told how much was sent to them, and what they have done is looked at; what
    /// has come since goes.
    func tellOthers(on loop: isolated EventLoop) {
        guard let peers else { return }
        if loop.index == 0 { context.shared.announce() }
        if loop.index == 0, following == nil {
            following = Task { [weak self, follows = context.shared.follows] in
                for follow in follows { await follow() }
                self?.followed(on: loop)
            }
        }
        if context.shared.isDraining, peers.handOverCount == 0 {
            handOverAll(within: Self.sweepDuration, on: loop) { _ in }
        }
        let servers = Set(context.sessions.journal.servers.map(\.address))
        let gone = peers.servers.subtracting(servers)
        // None are known while the journal is away.
        if !servers.isEmpty { peers.servers = servers }
        guard !servers.isEmpty, !gone.isEmpty else { return }
        for relay in peers.streams.values.flatMap(\.values) { relay.leave(gone, on: loop) }
        for follower in followers.values { follower.leave(gone, on: loop) }
    }

    private func followed(on loop: isolated EventLoop) { following = nil }

    /// Gives all sessions of this loop away, as far as there is time, and another server that reads them.
    /// Effects have half of that to end.
    ///
    /// - Parameter told: is given the number of those that are still here.
    func handOverAll(
        within duration: Duration, on loop: isolated EventLoop,
        _ told: @escaping @Sendable (_ left: Int) -> Void
    ) {
        guard let peers else { return told(0) }
        let (end, journal) = (loop.now.advanced(by: duration), context.sessions.journal)
        let endOfEffects = loop.now.advanced(by: duration / 2)
        let unreleased = peers.unreleasedCount
        peers.handOverCount += 1
        Task.immediate {
            var (left, nextLook): ([Session], Instant) = ([], loop.now)
            while journal.shows(nil, anew: true), loop.now < end {
                let servers = context.shared.successors
                func isRead(_ session: Session) -> Bool {
                    !session.isEnded && !session.isReplay && servers.contains { $0.reads(session) }
                }
                func mayGo(_ session: Session) -> Bool { !session.isInDoubt && isRead(session) }
                left = left.filter(mayGo)
                // For what has come, or may go by now, all are looked at, though not each time.
                if left.isEmpty || loop.now >= nextLook {
                    left = tables.flatMap(\.all).filter(mayGo)
                    nextLook = loop.now.advanced(by: Self.sweepDuration)
                }
                // What became of an action is known soon.
                if left.isEmpty, !tables.flatMap(\.all).contains(where: isRead) { break }
                let ready = left.filter { loop.now >= endOfEffects || !$0.hasEffects }
                var count = 0
                for part in ready.departures(isUnused: \.allowsSleep) where loop.now < end {
                    count += await handOver(Array(part), endOfEffects, until: end, on: loop)
                }
                if count == 0 { await pause(Self.roundPause, on: loop) }
            }
            peers.handOverCount -= 1
            let here = tables.flatMap(\.all).count { !$0.isEnded && !$0.isReplay }
            told(here + peers.unreleasedCount - unreleased)
        }
    }

    /// Gives one session away, once its effects have ended, or have had the time that they have in a drain.
    func handOver(
        _ session: Session, to receiver: String, on loop: isolated EventLoop
    ) async -> Int {
        let duration = context.shared.configuration.drainDuration / 2
        let end = loop.now.advanced(by: duration)
        while loop.now < end, session.hasEffects { await pause(Self.roundPause, on: loop) }
        let last = loop.now.advanced(by: duration)
        return await handOver([session], end, until: last, to: receiver, on: loop)
    }

    /// Gives sessions away that are at rest, or come to it soon: what is asked for meanwhile is sent on. What
    /// interceptors delay is carried out before, as nobody else knows of it.
    ///
    /// - Parameters:
    ///   - endOfEffects: before this, effects that have begun only now are finished, too.
    ///   - end: the journal has a moment more to say so.
    ///   - receiver: nil: those go to nobody that nobody uses, and the others to whom all servers would
    ///     choose.
    /// - Returns: the number of those that have gone; 0 where the journal has not said so of each.
    private func handOver(
        _ sessions: [Session], _ endOfEffects: Instant, until end: Instant,
        to receiver: String? = nil, on loop: isolated EventLoop
    ) async -> Int {
        let leaving = sessions.filter { session in
            !session.isEnded && !session.isReplay && !session.isInDoubt
                && lives.begin(.sleeping, of: name(of: session)) != nil
        }
        let endOfRest = loop.now.advanced(by: Self.finishDuration)
        while loop.now < endOfRest,
            leaving.contains(where: { !$0.isEnded && !isDone($0, endOfEffects, on: loop) })
        {
            await pause(Self.lookPause, on: loop)
        }
        let (journal, servers) = (context.sessions.journal, context.shared.successors)
        let gone = leaving.filter { !$0.isEnded && isDone($0, endOfEffects, on: loop) }
        let releases = gone.map { session in
            let name = name(of: session)
            let schema = session.store.schemaVersion
            let choice =
                session.allowsSleep && !context.feeds.isRead(session)
                ? nil : servers.choice(for: name, of: schema, by: journal.hash)
            peers?.note(receiver.flatMap { SocketAddress(parsing: $0) }, of: name)
            let receiver = receiver ?? choice?.address
            defer { close(session, isKept: true, goesOn: true, on: loop) }
            return Release(session.appendRight, session.actions?.keptWork, to: receiver)
        }
        // What is not given away is opened here by its next use.
        let isReleased = await release(releases, until: end, on: loop)
        context.metrics.handedOver += isReleased ? gone.count : 0
        peers?.unreleasedCount += isReleased ? 0 : gone.count
        for session in leaving {
            let waiting = lives.finish(.sleeping, of: name(of: session)) ?? []
            let outcome: SessionOpening =
                session.isEnded ? .failed(.sessionMoved) : .here(session, isNew: false)
            goOn(with: waiting, outcome, hasFirst: false)
        }
        return isReleased ? gone.count : 0
    }

    /// - Returns: false where the journal has not said so in time, as where its only standby is away.
    private func release(
        _ releases: [Release], until end: Instant, on loop: isolated EventLoop
    ) async -> Bool {
        guard !releases.isEmpty else { return true }
        let (journal, duration) = (context.sessions.journal, loop.now.duration(to: end))
        return await withCheckedContinuation { told in
            let patience = Held(nil, for: max(duration, Self.finishDuration), on: loop) { _, _ in
                told.resume(returning: false)
            }
            Task.immediate {
                let isReleased = (try? await journal.release(releases)) != nil
                guard !patience.isOver else { return }
                patience.end(on: loop)
                told.resume(returning: isReleased)
            }
        }
    }

    /// Nothing is left that nobody else would do.
    private func isDone(
        _ session: Session, _ endOfEffects: Instant, on loop: isolated EventLoop
    ) -> Bool {
        if session.actions?.endDelays() ?? false { afterEffects(of: session, on: loop) }
        return session.isAtRest && !(session.hasEffects && loop.now < endOfEffects)
    }

    func pause(_ duration: Duration, on loop: isolated EventLoop) async {
        await withCheckedContinuation { goOn in
            _ = Held(nil, for: duration, on: loop) { _, _ in goOn.resume() }
        }
    }
}

extension LiveServer {
    /// It reads the states of a session that this server has.
    fileprivate func reads(_ session: Session) -> Bool {
        reads(session.store.schemaVersion, of: session.mountName)
    }
}

/// `POST /cluster/drain`, and `POST M/sessions/{id}/move`, for the role *admin*.
extension Router {
    /// `{"to":"10.0.0.8:8090"}`
    private struct Move: Decodable { let to: String }

    /// Gives all sessions to other servers, and answers once they have gone, or have had the time to.
    func drain(
        _ request: SessionRequest, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        guard peers != nil else { throw .notFound }
        let (exchange, shared) = (request.exchange, shared)
        Task.immediate {
            let left = await shared.drain(within: shared.configuration.drainDuration)
            guard left > 0 else { return exchange.respond(.noContent, on: loop) { _ in } }
            let detail =
                "Some sessions are here: in use, read by no server that stays, or not given away yet."
            exchange.respond(
                ProblemDetails(code: "busy", detail: detail, members: [.number("left", left)]),
                on: loop)
        }
    }

    /// Gives a session to another server.
    func move(
        _ request: SessionRequest, _ session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let receiver = try decode(Move.self, request, in: bytes).to
        guard !session.isReplay else { throw .replay }
        let (exchange, isHere) = (request.exchange, receiver == peers.map { "\($0.address)" })
        guard
            isHere
                || shared.successors.contains(where: {
                    $0.address == receiver && $0.reads(session)
                })
        else {
            throw .badParameter(
                "to", "The address by which others reach one that stays, and reads the session.")
        }
        Task.immediate {
            let count = isHere ? 1 : await registry.handOver(session, to: receiver, on: loop)
            guard count > 0 else { return exchange.respond(.busy, on: loop) }
            exchange.respond(.noContent, on: loop) { _ in }
        }
    }
}

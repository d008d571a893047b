import HTTPServer
import Journaling
import Redux
import Sessions
import Sockets
import Synchronization

/// The sessions that have ended, and whose applications still forget what they keep under their ids.
///
/// As long as one is forgotten it is ended, however long ago that was: a new session of the id would find
/// what is about to be deleted. An application that fails is asked again, with growing pauses, until it
/// succeeds or the server stops.
extension SessionRegistry {
    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(3600)

    /// Ends a session for good: its id is gone for a while.
    ///
    /// - Parameter told: see `forget`.
    func end(
        _ session: Session, on loop: isolated EventLoop, _ told: @escaping (Bool) -> Void
    ) throws(ProblemDetails) {
        guard lives.count(at: .ending) < limits.forgettingCount else { throw .tooManyEndings }
        close(session, on: loop)
        try end(
            session.id, session.mount, isOpened: true, isReplay: session.isReplay, on: loop, told)
    }

    /// Ends a session that is not in memory, and perhaps cannot be read.
    func end(
        _ id: SessionID, _ mount: Int, isOpened: Bool = false, isReplay: Bool = false,
        on loop: isolated EventLoop, _ told: @escaping (Bool) -> Void
    ) throws(ProblemDetails) {
        // An application knows nothing of a replay that it could forget.
        if isReplay {
            told(true)
        } else {
            try forget(id, mount, isErased: true, isOpened: isOpened, on: loop, told)
        }
        let end = loop.now.advanced(by: limits.endedDuration)
        lives.note(.ended, of: name(id, mount: mount), until: end)
    }

    /// Has an application forget what it keeps under an id; throws where as many are forgotten as may.
    ///
    /// - Parameters:
    ///   - isErased: the journal erases the session before.
    ///   - isOpened: it was here, and does not count for its maker any more.
    ///   - told: is told once whether that is done, or takes long.
    func forget(
        _ id: SessionID, _ mount: Int, isErased: Bool = false, isOpened: Bool = false,
        on loop: isolated EventLoop, _ told: @escaping (_ isForgotten: Bool) -> Void
    ) throws(ProblemDetails) {
        let name = name(id, mount: mount)
        guard lives.count(at: .ending) < limits.forgettingCount else { throw .tooManyEndings }
        guard let others = lives.begin(.ending, of: name) else { throw .sessionEnded }
        goOn(with: others, .failed(.sessionEnded))
        let end = loop.now.advanced(by: limits.forgettingDuration)
        _ = lives.wait(
            { if case .absent = $0 { told(true) } else { told(false) } }, for: name, until: end)
        endings[name] = Self.forget(
            id, name, mounts[mount], isErased ? context.sessions.journal : nil,
            isOpened: isOpened, quota, context.inbox)
    }

    // MARK: Lifetimes

    /// The pause between two looks through all that a journal has; where other servers have it, too, so many
    /// times the look's own duration, and no less than the least.
    private static let (sweepPause, leastPause) = (
        Duration.seconds(6 * 3600), Duration.seconds(300)
    )
    private static let sharedPause = 20
    /// So many pages of sessions are looked at in a second. Of a page whoever posts meanwhile waits for the end.
    private static let (sweptPageCount, sweptCount) = (16, 256)
    /// The most sessions that end so at once, and in a second.
    private static let expiringCount = 256

    /// Ends sessions whose lifetime is over while they sleep: no memory and no timer of a sleeping session
    /// says so, but a look through all of them every six hours, 4,096 in a second. The first one counts the
    /// sessions of each maker; each does so, and sooner, where other servers make and end them, too.
    func sweep(on loop: isolated EventLoop) {
        let now = context.sessions.readAge()
        guard context.sessions.keepsEntries, loop.index == 0, loop.now >= sweeping.next else {
            return
        }
        sweeping.next = .never
        if sweeping.last == nil {
            sweeping.begun = loop.now
            if context.sessions.isShared { quota.countAnew() }
        }
        Task.immediate {
            var pause = Duration.zero
            do throws(JournalFailure) {
                var left = Self.expiringCount - quota.expiring.load(ordering: .relaxed)
                for _ in 0..<Self.sweptPageCount where left > 0 && pause == .zero {
                    let page = try await context.sessions.journal.sessions(
                        after: sweeping.last, limit: Self.sweptCount)
                    for summary in page where left > 0 {
                        quota.count(summary.maker, of: summary.name)
                        if judge(summary, at: now) { left -= 1 }
                        sweeping.last = summary.name
                    }
                    // A page may have fewer, without those that cannot be read.
                    guard page.isEmpty else { continue }
                    sweeping.last = nil
                    quota.countedAll()
                    let duration = sweeping.begun.duration(to: loop.now)
                    let shared = max(Self.leastPause, duration * Self.sharedPause)
                    pause =
                        context.sessions.isShared ? min(shared, Self.sweepPause) : Self.sweepPause
                }
            } catch {
                // The next second asks again.
            }
            sweeping.next = loop.now.advanced(by: pause)
        }
    }

    /// Has a session end whose lifetime is over; false for any other.
    private func judge(_ summary: SessionSummary, at now: Timestamp) -> Bool {
        guard let mount = mounts.first(where: { $0.name == summary.name.mount }) else {
            return false
        }
        let end = summary.end(mount.lifetime ?? limits.lifetime, unposted: limits.idleDuration)
        guard let end, end <= now else { return false }
        quota.expiring.add(1, ordering: .relaxed)
        context.shared.directory.post(summary.name) { $0.expire(summary, on: $1) }
        return true
    }

    /// Ends a session whose lifetime is over, unless somebody uses it, once its application has forgotten
    /// what it keeps under the id. Who asks for it meanwhile waits: it may stay.
    private func expire(_ summary: SessionSummary, on loop: isolated EventLoop) {
        let (name, journal) = (summary.name, context.sessions.journal)
        guard let (id, mount) = place(of: name), find(id, mount: mount) == nil,
            lives.stage(of: name) == nil
        else {
            quota.expiring.subtract(1, ordering: .relaxed)
            return
        }
        // Where that fails, the next look finds it again.
        _ = begin(.sleeping, of: name, on: loop) {
            [self] () async throws(JournalFailure) -> SessionOpening in
            defer { quota.expiring.subtract(1, ordering: .relaxed) }
            var opened: OpenedSession?
            do throws(JournalFailure) {
                opened = try await journal.open(name, making: nil)
                guard opened != nil else { return .asleep }
            } catch {
                // Nobody uses what cannot be read, but the list may not have its last entries yet.
                guard case .damaged = error else { throw error }
                let newer = try await journal.entries(
                    of: name, after: summary.version, limit: ReadLimit(entryCount: 1))
                guard newer.isEmpty else { return .asleep }
            }
            let isOver = opened.map { $0.document?.version == summary.version } ?? true
            if isOver, (try? await mounts[mount].forget(id)) != nil {
                try await journal.erase(name)
                quota.disown(summary.maker, of: name)
            } else if let opened {
                await giveBack(opened.lease, opened.work)
            }
            return .asleep
        }
    }

    // MARK: What applications forget

    private func finish(_ name: SessionName) {
        endings[name] = nil
        goOn(with: lives.finish(.ending, of: name) ?? [], .absent)
    }

    private func fail(_ name: SessionName, _ error: String, on loop: isolated EventLoop) {
        context.diagnostics.write(
            (
                "not-forgotten", .error,
                "The application could not forget an ended session: \(error)"
            ),
            of: "\(name.mount)/\(name.id)", at: loop.now)
    }

    private static func forget(
        _ id: SessionID, _ name: SessionName, _ mount: any MountedApplication,
        _ journal: (any Journal)?, isOpened: Bool, _ quota: SessionQuota,
        _ inbox: LoopMailbox<SessionRegistry>
    ) -> Task<Void, Never> {
        let environment = mount.environment
        return Task(executorPreference: environment.executor) {
            var pause = firstPause
            while true {
                do {
                    // One that was here does not count any more.
                    let maker = isOpened ? nil : try? await journal?.summary(of: name)?.maker
                    try await journal?.erase(name)
                    if let maker { quota.disown(maker, of: name) }
                    try await mount.forget(id)
                    return inbox.post { registry, _ in registry.finish(name) }
                } catch {
                    guard !Task.isCancelled else { return }
                    let text = String("\(error)".prefix(1_000))
                    inbox.post { registry, loop in registry.fail(name, text, on: loop) }
                }
                do { try await environment.clock.sleep(for: pause) } catch { return }
                pause = min(pause * 2, longestPause)
            }
        }
    }
}

extension Journal {
    /// What is known of a session, which perhaps cannot be read: the first one behind all names that are
    /// before it, since ids are of ASCII below its last character.
    func summary(of name: SessionName) async throws(JournalFailure) -> SessionSummary? {
        guard let last = name.id.utf8.last else { return nil }
        let before = name.id.dropLast() + String(UnicodeScalar(last - 1)) + "\u{7F}"
        let place = SessionName(mount: name.mount, id: String(before))
        return try await sessions(after: place, limit: 1).first { $0.name == name }
    }
}

extension SessionSummary {
    /// The time at which it ends where nobody uses it meanwhile; nil: never. One that has an alarm is used
    /// by that; one that the server's own code has made needs no entry to be kept.
    func end(_ lifetime: Duration?, unposted: Duration) -> Timestamp? {
        let last = max(lastTime, alarm ?? lastTime)
        if version == 0, maker > 0 { return last + min(unposted, lifetime ?? unposted) }
        return lifetime.map { last + $0 }
    }
}

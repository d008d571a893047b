import HTTPServer
import Journaling
import Redux
import Sessions
import Sockets

/// The sessions of one loop that play recordings, and the recordings that are being read.
final class Replays {
    /// The most recordings that are read at once.
    private static let readingCount = 2

    private let context: ServingContext
    private let quota: SessionQuota
    private var readings: [UInt64: ReplayReading] = [:]
    /// The readings that are under way, of clients that have gone, too.
    private var runningCount = 0
    private var lastNumber: UInt64 = 0
    private var players: [SessionName: ReplayPlayer] = [:]

    init(context: ServingContext, quota: SessionQuota) {
        self.context = context
        self.quota = quota
    }

    /// The player of a session; nil where that plays no recording.
    func player(of session: Session) -> ReplayPlayer? {
        guard session.past.isReplay else { return nil }
        return players[Self.name(of: session)]
    }

    // MARK: Reading

    /// Has a recording read away from the loop; then its session is made, or the request refused.
    func read(
        _ recording: [UInt8], of mount: any MountedApplication, _ wish: ReplayReading.Wish,
        _ exchange: Exchange, _ description: DescriptionResource, on loop: isolated EventLoop
    ) throws(ProblemAnswer) {
        guard runningCount < Self.readingCount else {
            throw ProblemAnswer(ReplayRefusal.tooManyReadings.problem)
        }
        guard !context.sessions.budget.isExceeded else { throw ProblemAnswer(.shortOfMemory) }
        lastNumber += 1
        runningCount += 1
        let reading = ReplayReading(lastNumber, wish, exchange, of: self, description)
        readings[lastNumber] = reading
        exchange.observeClose(reading, on: loop)
        let number = lastNumber
        let entryLimit = context.sessions.limits.recordingEntryCount
        Self.start(recording, of: mount, entryLimit: entryLimit) { [inbox = context.inbox] result in
            inbox.post { registry, loop in
                registry.replays.finish(number, result, in: registry, on: loop)
            }
        }
    }

    /// Reads a recording in Swift's pool.
    private static func start(
        _ text: [UInt8], of mount: any MountedApplication, entryLimit: Int,
        _ finish: @escaping @Sendable (Result<Recording, ProblemAnswer>) -> Void
    ) {
        Task { finish(read(text, of: mount, entryLimit: entryLimit)) }
    }

    private static func read(
        _ text: [UInt8], of mount: any MountedApplication, entryLimit: Int
    ) -> Result<Recording, ProblemAnswer> {
        let recording: Recording
        do throws(RecordingFault) {
            recording = try RecordingReader.read(text, entryLimit: entryLimit)
        } catch {
            return .failure(ProblemAnswer(ReplayRefusal.fault(error).problem))
        }
        do throws(ProblemAnswer) {
            try mount.admit(recording)
            return .success(recording)
        } catch {
            return .failure(error)
        }
    }

    /// Nobody waits for a reading any more.
    func forget(_ number: UInt64) { readings[number] = nil }

    private func finish(
        _ number: UInt64, _ result: Result<Recording, ProblemAnswer>, in registry: SessionRegistry,
        on loop: isolated EventLoop
    ) {
        runningCount -= 1
        guard let reading = readings.removeValue(forKey: number) else { return }
        ProblemAnswer.catching(reading.exchange, on: loop) { () throws(ProblemAnswer) in
            let recording = try result.get()
            let session = try begin(recording, reading.wish, in: registry, on: loop)
            reading.answer(with: session, on: loop)
        }
    }

    // MARK: Playing

    private func begin(
        _ recording: Recording, _ wish: ReplayReading.Wish, in registry: SessionRegistry,
        on loop: isolated EventLoop
    ) throws(ProblemAnswer) -> Session {
        let mount = registry.mounts[wish.mount]
        let store = mount.makeReplay(of: recording, context)
        guard quota.enter(wish.maker) else { throw ProblemAnswer(.tooManySessions) }
        let now = context.now()
        // No journal keeps it.
        let opened = OpenedSession(
            lease: Lease(session: 0, number: 0), epoch: Token.randomEpoch(), created: now,
            document: nil)
        let session = Session(
            id: wish.id, mount: mount.name, opened: opened, store: store, maker: wish.maker,
            .replay(recording), at: now, loop.now, context.sessions)
        registry.tables[wish.mount].insert(session)
        let player = ReplayPlayer(
            session, store, recording.schedule(wish.mode, at: loop.now), context.performer)
        players[Self.name(of: session)] = player
        player.play(on: loop)
        return session
    }

    /// A session has ended.
    func end(_ session: Session, on loop: isolated EventLoop) {
        guard session.past.isReplay else { return }
        players.removeValue(forKey: Self.name(of: session))?.end(on: loop)
    }

    private static func name(of session: Session) -> SessionName {
        SessionName(mount: session.mountName, id: session.id.description)
    }
}

import HTTPMessages
import HTTPServer
import Journaling
import Redux
import Sessions
import Sockets

/// The sessions of one loop that play recordings, and the recording that is being read.
final class Replays {
    /// The memory that reading takes, in bytes for each byte of the recording: a list of numbers of
    /// one digit is the worst.
    private static let readingFactor = 12

    private let context: ServingContext
    private let quota: SessionQuota
    private var readings: [UInt64: ReplayReading] = [:]
    private var lastNumber: UInt64 = 0
    private var players: [ObjectIdentifier: ReplayPlayer] = [:]

    init(context: ServingContext, quota: SessionQuota) {
        self.context = context
        self.quota = quota
    }

    /// The player of a session; nil where that plays no recording.
    func player(of session: Session) -> ReplayPlayer? {
        players[ObjectIdentifier(session)]
    }

    // MARK: Reading

    /// Has the recording in the body of a request read away from the loop; then its session is made, or
    /// the request refused. The server reads one at a time.
    func read(
        _ recording: [UInt8], for order: ReplayReading.Order, in registry: SessionRegistry,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let (budget, limits) = (context.sessions.budget, context.sessions.limits)
        let byteCount = recording.count * Self.readingFactor
        guard budget.used + byteCount <= budget.limit else { throw .shortOfMemory }
        guard quota.enterReading() else {
            throw .tooManyRecordings
        }
        lastNumber += 1
        let number = lastNumber
        let mount = registry.mounts[order.call.mount]
        let task = Self.start(recording, of: mount, limits) { [inbox = context.inbox] result in
            inbox.post { registry, loop in
                registry.replays.finish(number, result, in: registry, on: loop)
            }
        }
        let reading = ReplayReading(order, byteCount: byteCount, task)
        readings[number] = reading
        budget.add(.sessions, of: context.sessions.loopIndex, byteCount)
        order.call.exchange.observeClose(reading, on: loop)
    }

    /// Reads a recording in Swift's pool.
    private static func start(
        _ text: [UInt8], of mount: any MountedApplication, _ limits: SessionLimits,
        _ finish: @escaping @Sendable (Result<Recording, ProblemDetails>) -> Void
    ) -> Task<Void, Never> {
        Task { finish(read(text, of: mount, limits)) }
    }

    private static func read(
        _ text: [UInt8], of mount: any MountedApplication, _ limits: SessionLimits
    ) -> Result<Recording, ProblemDetails> {
        do throws(RecordingFault) {
            var reader = try RecordingReader(
                text, entryLimit: limits.recordingEntryCount,
                stateByteLimit: limits.stateByteCount)
            do throws(ProblemDetails) {
                try mount.admit(reader.header)
            } catch {
                return .failure(error)
            }
            return .success(try reader.read())
        } catch {
            return .failure(.badRecording(error))
        }
    }

    private func finish(
        _ number: UInt64, _ result: Result<Recording, ProblemDetails>, in registry: SessionRegistry,
        on loop: isolated EventLoop
    ) {
        guard let reading = readings.removeValue(forKey: number) else { return }
        quota.leaveReading()
        context.sessions.budget.add(
            .sessions, of: context.sessions.loopIndex, -reading.byteCount)
        guard !reading.isCancelled else { return }
        let call = reading.order.call
        call.exchange.refusing(on: loop) { () throws(ProblemDetails) in
            let session = try begin(try result.get(), reading.order, in: registry, on: loop)
            registry.describe(session, .created, to: call, on: loop)
        }
    }

    // MARK: Playing

    private func begin(
        _ recording: Recording, _ order: ReplayReading.Order, in registry: SessionRegistry,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) -> Session {
        guard quota.enter(order.maker) else { throw .tooManySessions }
        let (mount, tape) = (registry.mounts[order.call.mount], ReplayTape(recording))
        let now = context.now()
        // No journal keeps it.
        let opened = OpenedSession(
            lease: Lease(session: 0, number: 0), epoch: Step.randomEpoch(), created: now,
            document: nil)
        let session = Session(
            id: order.id, mount: order.call.mount, opened: opened,
            store: mount.makeReplay(of: tape),
            maker: order.maker, .replay(recording), at: now, loop.now, context.sessions)
        registry.insert(session, at: loop.now)
        let start = recording.header.start.milliseconds
        let schedule = ReplaySchedule(
            recording.entries.map { $0.at.milliseconds - start }, behind: recording.version,
            order.mode, at: loop.now)
        let player = ReplayPlayer(session, tape, schedule, context.performer)
        players[ObjectIdentifier(session)] = player
        player.play(on: loop)
        return session
    }

    /// A session has ended.
    func end(_ session: Session, on loop: isolated EventLoop) {
        players.removeValue(forKey: ObjectIdentifier(session))?.end(on: loop)
    }
}

/// A recording that was posted and is being read, and the request that waits for its session.
final class ReplayReading: ExchangeObserver {
    /// The session that is asked for, and by whom.
    struct Order {
        let id: SessionID
        let mode: ReplayMode
        let call: SessionRequest
        let maker: SessionMaker
    }

    let order: Order
    /// The memory that the reading may take, in bytes.
    let byteCount: Int
    /// The client has gone.
    private(set) var isCancelled = false
    private let task: Task<Void, Never>

    init(_ order: Order, byteCount: Int, _ task: Task<Void, Never>) {
        self.order = order
        self.byteCount = byteCount
        self.task = task
    }

    deinit { task.cancel() }

    /// The client has gone before its answer: the reading ends soon, and makes no session.
    func exchangeClosed(on loop: isolated EventLoop) {
        isCancelled = true
        task.cancel()
    }
}

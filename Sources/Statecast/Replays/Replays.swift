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
    /// Actions are reduced again for so long at most: meanwhile no other recording is read.
    private static let reducingDuration = Duration.seconds(30)

    /// A recording that is being read, and the request that waits for its session.
    private struct Reading {
        let id: SessionID
        let mode: ReplayMode
        let call: SessionRequest
        let maker: Accounts.Client
        /// The memory that the reading may take, in bytes.
        let byteCount: Int
        let task: Task<Void, Never>
        let held: Held
    }

    private let context: ServingContext
    private let quota: SessionQuota
    private var readings: [UInt64: Reading] = [:]
    private var lastNumber: UInt64 = 0
    private var players: [ObjectIdentifier: ReplayPlayer] = [:]

    init(context: ServingContext, quota: SessionQuota) {
        self.context = context
        self.quota = quota
    }

    deinit {
        for reading in readings.values { reading.task.cancel() }
    }

    /// The player of a session; nil where that plays no recording.
    func player(of session: Session) -> ReplayPlayer? {
        players[ObjectIdentifier(session)]
    }

    // MARK: Reading

    /// Has the recording in the body of a request read away from the loop; then its session is made, or
    /// the request refused. The server reads one at a time.
    ///
    /// - Parameter isReduced: its actions are reduced again, and what comes of them is played.
    func read(
        _ text: [UInt8], into id: SessionID, _ mode: ReplayMode, isReduced: Bool,
        for call: SessionRequest, of maker: Accounts.Client, in registry: SessionRegistry,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let (budget, limits) = (context.sessions.budget, context.sessions.limits)
        let byteCount =
            text.count * Self.readingFactor + (isReduced ? limits.recordingByteCount : 0)
        try budget.checkRoom(for: byteCount)
        guard quota.enterReading() else {
            throw .tooManyRecordings
        }
        lastNumber += 1
        let number = lastNumber
        let mount = registry.mounts[call.mount]
        let deadline = isReduced ? loop.now.advanced(by: Self.reducingDuration) : nil
        let reducing = context.shared.crashPage.withLock { $0?.part(of: nil) }
        let task = Self.start(text, deadline, of: mount, limits, reducing) {
            [inbox = context.inbox] result in
            inbox.post { registry, loop in
                registry.replays.finish(number, result, in: registry, on: loop)
            }
        }
        budget.add(.sessions, of: context.sessions.loopIndex, byteCount)
        let held = Held(call.exchange, for: nil, endsWithInput: true, on: loop) { _, interruption in
            // The reading ends soon, and makes no session.
            if interruption == .clientGone { task.cancel() }
        }
        readings[number] = Reading(
            id: id, mode: mode, call: call, maker: maker, byteCount: byteCount, task: task,
            held: held)
    }

    /// Reads a recording in Swift's pool.
    private static func start(
        _ text: [UInt8], _ deadline: Instant?, of mount: any MountedApplication,
        _ limits: SessionLimits, _ reducing: CrashPage.LastActions?,
        _ finish: @escaping @Sendable (Result<ReplayedRecording, ProblemDetails>) -> Void
    ) -> Task<Void, Never> {
        Task { finish(recording(in: text, deadline, of: mount, limits, reducing)) }
    }

    /// - Parameter deadline: until then its actions are reduced again; nil: they are not.
    private static func recording(
        in text: [UInt8], _ deadline: Instant?, of mount: any MountedApplication,
        _ limits: SessionLimits, _ reducing: CrashPage.LastActions?
    ) -> Result<ReplayedRecording, ProblemDetails> {
        do throws(RecordingFault) {
            var reader = try RecordingReader(
                text, entryLimit: limits.recordingEntryCount,
                stateByteLimit: limits.stateByteCount)
            do throws(ProblemDetails) {
                try mount.admit(reader.recording, isReduced: deadline != nil)
            } catch {
                return .failure(error)
            }
            let recording = try reader.read()
            guard let deadline else { return .success(recording) }
            return .success(try mount.reduceAgain(recording, until: deadline, limits, reducing))
        } catch {
            return .failure(.badRecording(error))
        }
    }

    private func finish(
        _ number: UInt64, _ result: Result<ReplayedRecording, ProblemDetails>,
        in registry: SessionRegistry,
        on loop: isolated EventLoop
    ) {
        guard let reading = readings.removeValue(forKey: number) else { return }
        quota.leaveReading()
        context.sessions.budget.add(
            .sessions, of: context.sessions.loopIndex, -reading.byteCount)
        guard !reading.held.isOver else { return }
        reading.held.end(on: loop)
        let call = reading.call
        call.exchange.refusing(on: loop) { () throws(ProblemDetails) in
            let session = try begin(try result.get(), reading, in: registry, on: loop)
            registry.describe(session, .created, to: call, on: loop)
        }
    }

    // MARK: Playing

    private func begin(
        _ recording: ReplayedRecording, _ reading: Reading, in registry: SessionRegistry,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) -> Session {
        let maker = reading.maker
        let name = registry.name(reading.id, mount: reading.call.mount)
        guard quota.own(maker, of: name, isKept: false) else { throw .tooManySessions }
        guard quota.enter() else {
            quota.disown(maker, of: name, isKept: false)
            throw .tooManySessions
        }
        let log = EntryLog(playing: recording)
        let session = registry.makeReplay(
            reading.id, reading.call.mount, of: log, epoch: Step.randomEpoch(),
            created: context.now(), maker: maker, on: loop)
        registry.insert(session, at: loop.now)
        let start = recording.start.milliseconds
        let schedule = ReplaySchedule(
            recording.entries.map { $0.at.milliseconds - start }, behind: recording.version,
            reading.mode, at: loop.now)
        let player = ReplayPlayer(session, log, schedule, context.performer)
        players[ObjectIdentifier(session)] = player
        player.play(on: loop)
        return session
    }

    /// A session has ended.
    func end(_ session: Session, on loop: isolated EventLoop) {
        players.removeValue(forKey: ObjectIdentifier(session))?.end(on: loop)
    }
}

extension SessionRegistry {
    /// A session that shows what a recording or another server has led to, which no journal keeps for it.
    func makeReplay(
        _ id: SessionID, _ mount: Int, of shown: any ShownStates, epoch: String, created: Timestamp,
        maker: UInt16 = 0, on loop: isolated EventLoop
    ) -> Session {
        let opened = OpenedSession(
            lease: Lease(session: 0, number: 0), epoch: epoch, created: created, document: nil)
        return Session(
            id: id, mount: mount, opened: opened, store: mounts[mount].makeReplay(of: shown),
            maker: maker, playing: shown as? EntryLog, at: loop.now, context.sessions)
    }
}

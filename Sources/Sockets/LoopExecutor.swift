internal import CLinux
internal import Glibc
internal import Synchronization

/// Work that other threads leave for a loop.
enum Job: Sendable {
    /// A piece of a Swift task that runs on the loop's actor.
    case task(UnownedJob)
    /// A closure given to `EventLoop.submit`.
    case work(@Sendable (isolated EventLoop) -> Void)
}

/// The door of a loop for other threads: its inbox, its wake-up, and the identity of its thread.
///
/// A job left while the loop is awake costs no system call: the loop looks before it sleeps. Only
/// the first job left while it sleeps writes to the eventfd, which stands edge-triggered in epoll
/// and is never read.
final class LoopExecutor: SerialExecutor {
    private enum Phase {
        case notStarted
        case running
        case ended
    }

    private struct Inbox: Sendable {
        var jobs: [Job] = []
        var phase = Phase.notStarted
        var endObservers: [CheckedContinuation<Void, Never>] = []
        weak var loop: EventLoop?
        /// The loop that the thread shall run, kept alive until the thread comes for it.
        var service: EventLoop?
        var isRetired = false
    }

    /// Written to wake the loop.
    let wakeDescriptor: Descriptor
    private let inbox = Monitor(Inbox())
    private let hasJobs = Atomic<Bool>(false)
    private let isAsleep = Atomic<Bool>(false)
    private let wantsStop = Atomic<Bool>(false)
    /// `pthread_self` of the thread whose code counts as isolated, 0 when there is none.
    private let thread = Atomic<UInt>(0)

    init() throws(SystemError) {
        wakeDescriptor = try SystemCalls().open(.eventDescriptor) {
            eventfd(0, clinux_nonblock_cloexec)
        }
    }

    func attach(_ loop: EventLoop) {
        inbox.withLock { $0.loop = loop }
    }

    // MARK: From any thread

    func enqueue(_ job: consuming ExecutorJob) {
        leave(.task(UnownedJob(job)))
    }

    func checkIsolated() {
        precondition(isCurrentThread, "Code of an event loop runs on another thread.")
    }

    func isIsolatingCurrentContext() -> Bool? {
        isCurrentThread
    }

    func isSameExclusiveExecutionContext(other: LoopExecutor) -> Bool {
        self === other
    }

    var isCurrentThread: Bool {
        thread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    var isStopping: Bool {
        wantsStop.load(ordering: .acquiring)
    }

    func leave(_ job: Job) {
        let isLate = inbox.withLock { inbox in
            inbox.jobs.append(job)
            guard inbox.phase == .ended else { return false }
            inbox.phase = .running
            inbox.service = inbox.loop
            return true
        }
        hasJobs.store(true, ordering: .sequentiallyConsistent)
        if isLate { inbox.wakeOne() } else { wake() }
    }

    func stop() {
        wantsStop.store(true, ordering: .sequentiallyConsistent)
        wake()
    }

    /// Answers true to the first of the callers: the one that starts the thread.
    func beginRunning(_ loop: EventLoop) -> Bool {
        inbox.withLock { inbox in
            guard inbox.phase == .notStarted else { return false }
            inbox.phase = .running
            inbox.service = loop
            return true
        }
    }

    /// Takes `beginRunning` back: there is no thread.
    func refuseRunning() {
        inbox.withLock { inbox in
            inbox.phase = .notStarted
            inbox.service = nil
        }
    }

    /// Ends the thread, if there is one: the loop is gone.
    func retire() {
        inbox.withLock { $0.isRetired = true }
        inbox.wakeOne()
    }

    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let isEnded = inbox.withLock { inbox in
                guard inbox.phase != .ended else { return true }
                inbox.endObservers.append(continuation)
                return false
            }
            if isEnded { continuation.resume() }
        }
    }

    private func wake() {
        guard isAsleep.exchange(false, ordering: .sequentiallyConsistent) else { return }
        SystemCalls().signal(wakeDescriptor)
    }

    // MARK: From the loop's thread

    /// Waits until the loop has something to run, at first or after its end; nil once it is gone.
    func nextService() -> EventLoop? {
        inbox.wait { inbox -> EventLoop?? in
            if let loop = inbox.service.take() { return loop }
            return inbox.isRetired ? .some(nil) : nil
        }
    }

    func enter() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
    }

    func leaveThread() {
        thread.store(0, ordering: .relaxed)
    }

    /// Says that a job left from now on must wake the loop; false when one is already there.
    func fallAsleep() -> Bool {
        isAsleep.store(true, ordering: .sequentiallyConsistent)
        guard !hasJobs.load(ordering: .sequentiallyConsistent),
            !wantsStop.load(ordering: .sequentiallyConsistent)
        else {
            isAsleep.store(false, ordering: .relaxed)
            return false
        }
        return true
    }

    func awake() {
        isAsleep.store(false, ordering: .relaxed)
    }

    /// `takeJobs` would find something.
    var mayHaveJobs: Bool {
        hasJobs.load(ordering: .relaxed)
    }

    /// Exchanges what was left for `jobs`, which is empty and keeps its storage.
    func takeJobs(into jobs: inout [Job]) {
        _ = hasJobs.exchange(false, ordering: .acquiringAndReleasing)
        inbox.withLock { swap(&$0.jobs, &jobs) }
    }

    /// Ends the thread's service, and tells those who wait; false where a job was left meanwhile.
    func endService() -> Bool {
        let observers = inbox.withLock { inbox -> [CheckedContinuation<Void, Never>]? in
            guard inbox.jobs.isEmpty else { return nil }
            inbox.phase = .ended
            defer { inbox.endObservers = [] }
            return inbox.endObservers
        }
        guard let observers else { return false }
        for observer in observers { observer.resume() }
        return true
    }
}

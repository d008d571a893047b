import Sockets
import Synchronization

/// How effects and the journal come back to their session: errands that the session's loop runs
/// at the end of its turn.
final class SessionInbox: Sendable {
    /// Something to do on the loop, with the sessions at hand.
    typealias Errand = @Sendable (SessionRegistry, isolated EventLoop) -> Void

    private let loop: EventLoop
    private let errands = Mutex<[Errand]>([])
    private let hasErrands = Atomic<Bool>(false)

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// Leaves an errand, from any thread.
    func post(_ errand: @escaping Errand) {
        let isFirst = errands.withLock { errands in
            errands.append(errand)
            return errands.count == 1
        }
        hasErrands.store(true, ordering: .releasing)
        if isFirst { loop.submit { _ in } }
    }

    /// Whether there is nothing to take.
    var isEmpty: Bool {
        !hasErrands.load(ordering: .acquiring)
    }

    /// Takes what was left.
    func takeAll() -> [Errand] {
        errands.withLock { errands in
            hasErrands.store(false, ordering: .relaxed)
            defer { errands = [] }
            return errands
        }
    }
}

internal import Sockets
internal import Synchronization

/// The door through which other threads reach the server's part on one loop, which is not
/// Sendable and never leaves it.
///
/// What is posted in one turn is carried out together at the end of a turn of the loop, in the
/// order of posting; only the first post wakes the loop.
final class LoopMailbox: Sendable {
    /// A piece of work for the server's part on the loop.
    typealias Errand = @Sendable (ServerLoop, isolated EventLoop) -> Void

    let loop: EventLoop
    private let errands = Lock<[Errand]>([])
    private let hasErrands = Atomic<Bool>(false)

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// Leaves an errand; from any thread.
    func post(_ errand: @escaping Errand) {
        let isFirst = errands.withLock { errands in
            errands.append(errand)
            return errands.count == 1
        }
        hasErrands.store(true, ordering: .releasing)
        if isFirst { loop.submit { _ in } }
    }

    /// Whether there is something to take.
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

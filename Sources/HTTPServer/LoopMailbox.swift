internal import Sockets

/// The door through which other threads reach the server's part on one loop, which is not
/// Sendable and never leaves it.
///
/// The posts of one turn are carried out together at the end of a turn of the loop, in the order of
/// posting; only the first post wakes the loop.
struct LoopMailbox: Sendable {
    /// A piece of work for the server's part on the loop.
    typealias Errand = @Sendable (ServerLoop, isolated EventLoop) -> Void

    let loop: EventLoop
    private let errands: Mailbox<Errand>

    init(loop: EventLoop) {
        self.loop = loop
        errands = Mailbox { loop.submit { _ in } }
    }

    /// Leaves an errand; from any thread.
    func post(_ errand: @escaping Errand) {
        errands.post(errand)
    }

    /// Nothing is there to take.
    var isEmpty: Bool { errands.isEmpty }

    /// Takes all that was left.
    func takeAll() -> [Errand] {
        errands.takeAll()
    }
}

import Sockets

/// The way by which effects and the journal come back to their session: errands that the session's
/// loop runs at the end of its turn.
struct SessionInbox: Sendable {
    /// Something to do on the loop, with the sessions at hand.
    typealias Errand = @Sendable (SessionRegistry, isolated EventLoop) -> Void

    private let errands: Mailbox<Errand>

    init(loop: EventLoop) {
        errands = Mailbox { loop.submit { _ in } }
    }

    /// Leaves an errand, from any thread.
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

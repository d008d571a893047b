/// One who is told of changes.
@usableFromInline
struct Observer<State> {
    @usableFromInline let id: UInt64
    /// Called with the state before and the state after.
    @usableFromInline let notify: (State, State) -> Void

    @inlinable
    init(id: UInt64, notify: @escaping (State, State) -> Void) {
        self.id = id
        self.notify = notify
    }
}

/// Keeps an observer; ends when it is cancelled or let go of.
public final class Subscription {
    private var end: (() -> Void)?

    @usableFromInline
    init(end: @escaping () -> Void) {
        self.end = end
    }

    deinit { end?() }

    /// Tells no more.
    public func cancel() {
        end?()
        end = nil
    }
}

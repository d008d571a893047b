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

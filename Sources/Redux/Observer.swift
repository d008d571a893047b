/// One who is told of changes.
@usableFromInline
struct Observer<State> {
    @usableFromInline let id: UInt64
    @usableFromInline let notify: (State) -> Void

    @inlinable
    init(id: UInt64, notify: @escaping (State) -> Void) {
        self.id = id
        self.notify = notify
    }
}

/// What one observer selects, and what it was told last.
@usableFromInline
final class Selection<State, Value: Equatable> {
    // Only ever read and written by `tell`, which is not re-entrant.
    @usableFromInline var last: Value
    @usableFromInline let select: (State) -> Value
    @usableFromInline let onChange: (Value) -> Void

    @inlinable
    init(
        _ state: State, _ select: @escaping (State) -> Value, _ onChange: @escaping (Value) -> Void
    ) {
        self.select = select
        self.onChange = onChange
        last = select(state)
    }

    @inlinable
    func tell(_ state: State) {
        let value = select(state)
        guard value != last else { return }
        last = value
        onChange(value)
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

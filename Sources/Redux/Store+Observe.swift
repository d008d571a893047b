/// One who is told of changes.
struct Observer<State> {
    let id: UInt64
    let notify: (State) -> Void
}

extension Store {
    /// Tells of a part of the state: as it is now, and after each commit in which it differs.
    ///
    /// Ends with the subscription. What the observer dispatches follows the present action.
    public func observe<Value: Equatable>(
        _ select: @escaping (State) -> Value, _ onChange: @escaping (Value) -> Void
    ) -> Subscription {
        var last = select(state)
        onChange(last)
        return add { state in
            let value = select(state)
            guard value != last else { return }
            last = value
            onChange(value)
        }
    }

    /// Tells of the property at a key path, stored or computed.
    public func observe<Value: Equatable>(
        _ keyPath: KeyPath<State, Value>, _ onChange: @escaping (Value) -> Void
    ) -> Subscription {
        observe({ $0[keyPath: keyPath] }, onChange)
    }

    /// A part of the state as a sequence: its present value, then each that differs. One who reads
    /// slowly misses values, never the newest.
    public func values<Value: Equatable & Sendable>(
        of select: @escaping (State) -> Value
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(1))
        var last = select(state)
        continuation.yield(last)
        lastObserver += 1
        let id = lastObserver
        observers.append(
            Observer(id: id) { [weak self] state in
                let value = select(state)
                guard value != last else { return }
                last = value
                if case .terminated = continuation.yield(value) {
                    self?.observers.removeAll { $0.id == id }
                }
            })
        return stream
    }

    private func add(_ notify: @escaping (State) -> Void) -> Subscription {
        lastObserver += 1
        let id = lastObserver
        observers.append(Observer(id: id, notify: notify))
        return Subscription(id: id) { [weak self] in
            self?.observers.removeAll { $0.id == id }
        }
    }

    func notifyObservers() {
        for observer in observers { observer.notify(state) }
    }
}

/// Keeps an observer; ends when it is cancelled or let go of.
public final class Subscription {
    let id: UInt64
    private var end: (() -> Void)?

    init(id: UInt64, end: @escaping () -> Void) {
        self.id = id
        self.end = end
    }

    deinit { end?() }

    /// Tells no more.
    public func cancel() {
        end?()
        end = nil
    }
}

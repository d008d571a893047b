/// Tells of changes: one observer, or several in their order.
///
/// A structure around the closure, because an optional closure or a generic function's is called
/// through thunks.
@usableFromInline
struct Observer<State: Sendable & Equatable> {
    /// Called with the state before, the state after, the list of observers, and its version when
    /// the round began.
    @usableFromInline let notify: (State, State, ObserverList<State>, UInt64) -> Void

    @inlinable
    init(notify: @escaping (State, State, ObserverList<State>, UInt64) -> Void) {
        self.notify = notify
    }

    /// Tells all of these.
    ///
    /// A closure holds what it has captured for as long as it runs, so that calling that needs no
    /// counting of references: half of what it costs to tell an observer nothing. Four a closure,
    /// and four of those in the next, keep the calls shallow.
    init(all observers: [Observer]) {
        var level = observers
        while level.count > 1 {
            level = stride(from: 0, to: level.count, by: 4).map { start in
                Observer(upToFour: level[start..<min(start + 4, level.count)])
            }
        }
        self = level.first ?? Observer { _, _, _, _ in }
    }

    private init(upToFour observers: ArraySlice<Observer>) {
        let first = observers[observers.startIndex]
        guard observers.count > 1 else {
            self = first
            return
        }
        let second = observers[observers.startIndex + 1]
        guard observers.count == 4 else {
            let rest = Observer(upToFour: observers.dropFirst())
            self.init { old, new, list, start in
                first.notify(old, new, list, start)
                rest.notify(old, new, list, start)
            }
            return
        }
        let third = observers[observers.startIndex + 2]
        let fourth = observers[observers.startIndex + 3]
        self.init { old, new, list, start in
            first.notify(old, new, list, start)
            second.notify(old, new, list, start)
            third.notify(old, new, list, start)
            fourth.notify(old, new, list, start)
        }
    }
}

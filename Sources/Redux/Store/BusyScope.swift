public import Synchronization

/// Tells whether a store is at work, and whether its next action may take the short way: nothing
/// stands around the reducer, and nothing is under way. Nothing else writes these two bits.
///
/// One isolation alone uses it. It is atomic because the run time checks every access to a variable
/// of a class for exclusivity, and none to an atomic constant.
@usableFromInline
struct BusyScope: ~Copyable {
    /// 2: at work; 1: the short way is closed, or, while the store is on it, leads to more.
    @usableFromInline let bits = Atomic<UInt8>(0)

    /// The short way is open.
    @inlinable var isPlain: Bool { bits.load(ordering: .relaxed) == 0 }

    /// An action is being decided about or committed, or an application's code is being called.
    @inlinable var isBusy: Bool { bits.load(ordering: .relaxed) & 2 != 0 }

    /// Something was dispatched, started or switched since the short way was entered.
    @inlinable var isDisturbed: Bool { bits.load(ordering: .relaxed) & 1 != 0 }

    /// Begins the short way.
    @inlinable
    func enterPlainly() { bits.store(2, ordering: .relaxed) }

    /// Ends the short way of an action that nothing came of.
    @inlinable
    func leavePlainly() { bits.store(0, ordering: .relaxed) }

    /// Ends the short way of an action that was disturbed.
    @inlinable
    func leaveDisturbed() { bits.store(1, ordering: .relaxed) }

    /// Closes the short way until `settle` opens it again.
    func disturb() { bits.store(bits.load(ordering: .relaxed) | 1, ordering: .relaxed) }

    /// Opens the short way where everything is quiet and nothing is at work.
    func settle(isQuiet: Bool) {
        guard !isBusy else { return disturb() }
        bits.store(isQuiet ? 0 : 1, ordering: .relaxed)
    }

    /// Runs a body as work, inside of other work or by itself.
    func during(_ body: () -> Void) {
        let outer = bits.load(ordering: .relaxed)
        bits.store(3, ordering: .relaxed)
        body()
        bits.store(outer | 1, ordering: .relaxed)
    }
}

/// An entry as the cause of others: its number, its origin, and the chain that led to it.
struct Cause: Sendable, Hashable {
    /// The number of the entry.
    var version: UInt64
    var origin: Origin
    /// The version at the beginning of the chain, which no other one caused.
    var root: UInt64
    /// The number of causes that lie before it.
    var depth = 0
    /// Those causes, the oldest first.
    var chain: [UInt64] = []
    /// It comes late, out of an effect that took its time, and so begins a new chain.
    var isLate = false
}

extension Cause {
    /// An entry that another one caused, or that none did.
    init(version: UInt64, origin: Origin, after cause: Cause? = nil) {
        self.init(version: version, origin: origin, root: cause?.root ?? version)
        guard let cause, !cause.isLate else { return }
        depth = cause.depth + 1
        chain = cause.path
    }

    /// The chain up to itself.
    var path: [UInt64] { chain + [version] }

    /// The cause of what comes of an action that it caused, as long as that is no entry: one deeper.
    var ofUndecided: Cause {
        var cause = self
        cause.depth = isLate ? 0 : depth + 1
        if isLate { cause.chain = [] }
        cause.isLate = false
        return cause
    }
}

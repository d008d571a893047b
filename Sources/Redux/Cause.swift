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
    /// The part of the chain that lies in other sessions, and counts in `depth`.
    var outer: OuterChain?
}

extension Cause {
    /// An entry that another one caused, or that none of its session did.
    ///
    /// - Parameter outer: the chain in other sessions that has led to it.
    init(
        version: UInt64, origin: Origin, after cause: Cause? = nil, in outer: OuterChain? = nil
    ) {
        self.init(version: version, origin: origin, root: cause?.root ?? version)
        if let outer {
            depth = outer.depth
            self.outer = outer
        }
        guard let cause, !cause.isLate else { return }
        depth = cause.depth + 1
        chain = cause.path
        self.outer = cause.outer
    }

    /// The chain up to itself.
    var path: [UInt64] { chain + [version] }

    /// The cause of what comes of an action that it caused, as long as that is no entry: one deeper.
    var ofUndecided: Cause {
        var cause = self
        cause.depth = isLate ? 0 : depth + 1
        if isLate {
            cause.chain = []
            cause.outer = nil
        }
        cause.isLate = false
        return cause
    }
}

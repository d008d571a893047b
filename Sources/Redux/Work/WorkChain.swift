/// The standing of one try of a piece of work towards other sessions: the chain of causes that has led
/// to it, and the key by which the far side knows it.
package struct WorkChain: Sendable {
    /// `<token of the entry that started it>/<name>`, the same for each try.
    package let key: String
    /// The causes before what it dispatches to other sessions, its own entry among them.
    package let depth: Int
    /// The part of these that lies in other sessions.
    package let outer: OuterChain?
    /// The time since the work has begun.
    package let elapsed: @Sendable () -> Duration

    init(_ key: String, after cause: Cause, elapsed: @escaping @Sendable () -> Duration) {
        self.key = key
        depth = cause.depth + 1
        outer = cause.outer
        self.elapsed = elapsed
    }
}

/// The works of states as an application lists them, and a quick answer where a state wants nothing
/// new. Made where the types are known, so that comparing looks up none of them.
@usableFromInline
package struct WorkSource<State, Action: Sendable>: Sendable {
    let list: @Sendable (State) -> [Work<Action>]
    /// Tells whether a state lists the same works, with the same values, as known items.
    let isListed: @Sendable (State, [WorkList.Item]) -> Bool

    @inlinable
    package init(_ list: @escaping @Sendable (State) -> [Work<Action>]) {
        self.init(list) { state, items in WorkList.isSame(list(state), as: items) }
    }

    @usableFromInline
    init(
        _ list: @escaping @Sendable (State) -> [Work<Action>],
        isListed: @escaping @Sendable (State, [WorkList.Item]) -> Bool
    ) {
        self.list = list
        self.isListed = isListed
    }
}

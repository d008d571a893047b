/// A child's work as its parent's. Nothing is embedded before something runs.
@usableFromInline
final class MappedWork<Child: Sendable, Action: Sendable>: WorkBody {
    @usableFromInline let name: WorkName
    @usableFromInline let child: any WorkBody
    @usableFromInline let embed: @Sendable (Child) -> Action

    @inlinable
    init(
        _ child: Work<Child>, _ name: WorkName, _ embed: @escaping @Sendable (Child) -> Action
    ) {
        self.child = child.body
        self.name = name
        self.embed = embed
    }

    @usableFromInline var policy: WorkPolicy { child.policy }
    @usableFromInline var kind: any Sendable { Work<Child>(child).kind.mapped(embed) }

    @usableFromInline
    func hasSameValue(as other: any WorkBody) -> Bool {
        guard let other = other as? Self else { return false }
        return child.hasSameValue(as: other.child)
    }

    @usableFromInline
    func isSame(as other: any WorkBody) -> Bool {
        guard let other = other as? Self else { return false }
        return other.name == name && child.hasSameValue(as: other.child)
    }
}

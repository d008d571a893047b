/// Work that stands for others, which are made only when the part has changed.
@usableFromInline
final class GroupedWork<Part: Equatable & Sendable, Action: Sendable>: WorkBody {
    @usableFromInline let name: WorkName
    @usableFromInline let part: Part
    @usableFromInline let members: @Sendable (Part) -> [Work<Action>]

    @inlinable
    init(
        _ name: WorkName, _ part: Part, _ members: @escaping @Sendable (Part) -> [Work<Action>]
    ) {
        self.name = name
        self.part = part
        self.members = members
    }

    @usableFromInline var policy: WorkPolicy { WorkPolicy() }
    @usableFromInline var kind: any Sendable {
        WorkKind<Action>.group { [part, members] in members(part) }
    }

    @usableFromInline
    func hasSameValue(as other: any WorkBody) -> Bool {
        guard let other = other as? Self else { return false }
        return other.part == part
    }

    @usableFromInline
    func isSame(as other: any WorkBody) -> Bool {
        guard let other = other as? Self else { return false }
        return other.name == name && other.part == part
    }
}

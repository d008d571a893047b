/// Work that waits for a time; its value is the time and the action.
@usableFromInline
final class WaitingWork<Action: Equatable & Sendable>: WorkBody {
    @usableFromInline let name: WorkName
    @usableFromInline let time: Timestamp
    @usableFromInline let action: Action

    @inlinable
    init(_ name: WorkName, until time: Timestamp, _ action: Action) {
        self.name = name
        self.time = time
        self.action = action
    }

    @usableFromInline var policy: WorkPolicy { WorkPolicy() }
    @usableFromInline var kind: any Sendable { WorkKind<Action>.alarm(at: time, action) }

    @usableFromInline
    func hasSameValue(as other: any WorkBody) -> Bool {
        guard let other = other as? Self else { return false }
        return other.time == time && other.action == action
    }

    @usableFromInline
    func isSame(as other: any WorkBody) -> Bool {
        guard let other = other as? Self else { return false }
        return other.name == name && other.time == time && other.action == action
    }
}

public import Redux

/// The viewers who are shown the same by a view: those for whom the view has the same key.
///
/// The key is all that a projection learns of them, so that sharing its bytes shows nothing to
/// others.
@usableFromInline
package struct ViewerClass: Hashable, Sendable {
    /// Holds the key in an object of its type, which is told from others in a few nanoseconds.
    @usableFromInline let holder: any ViewerKeyHolder

    /// The viewers of a key.
    @usableFromInline
    package init(_ key: some Hashable & Sendable) {
        holder = ViewerKey(key, isFixed: false)
    }

    /// One viewer, who is of this class whatever the state is, and nobody else.
    @usableFromInline
    package init(of viewer: Viewer) {
        holder = ViewerKey(viewer, isFixed: true)
    }

    /// Other bytes for each class of a view: where its key is a viewer or a simple value the same ones in
    /// every process, else of this process alone.
    var bytes: [UInt8] {
        let texts: [String]
        switch holder.key {
        case let viewer as Viewer:
            let principal = viewer.principal
            texts =
                ["viewer", principal.id ?? ""] + principal.roles.sorted() + [""]
                + viewer.arguments.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        case let text as String: texts = ["text", text]
        // Nobody's: an anonymous viewer's id, or no seat.
        case is String?: texts = ["nil"]
        case let value as any FixedWidthInteger: texts = ["number", "\(value)"]
        case let value as Bool: texts = ["bool", "\(value)"]
        default:
            var hasher = Hasher()
            hasher.combine(self)
            texts = ["other", "\(hasher.finalize())"]
        }
        return ProjectionKey.bytes(of: texts)
    }

    /// The same viewers are of it for ever; those of other classes come and go with the state.
    package var isFixed: Bool { holder.isFixed }

    /// The key; nil where it has another type.
    @inlinable
    package func key<Key: Hashable & Sendable>(as type: Key.Type) -> Key? {
        (holder as? ViewerKey<Key>)?.value
    }

    @usableFromInline
    package static func == (one: ViewerClass, other: ViewerClass) -> Bool {
        one.holder === other.holder || one.holder.isEqual(to: other)
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        holder.hash(into: &hasher)
    }
}

/// An object that holds the key of a class of viewers.
@usableFromInline
protocol ViewerKeyHolder: AnyObject, Sendable {
    var isFixed: Bool { get }
    var key: any Sendable { get }
    /// The class has this key.
    func isEqual(to other: ViewerClass) -> Bool
    func hash(into hasher: inout Hasher)
}

/// The key of a class of viewers.
@usableFromInline
final class ViewerKey<Key: Hashable & Sendable>: ViewerKeyHolder {
    @usableFromInline let value: Key
    @usableFromInline let isFixed: Bool

    init(_ value: Key, isFixed: Bool) {
        self.value = value
        self.isFixed = isFixed
    }

    @usableFromInline var key: any Sendable { value }

    @usableFromInline
    func isEqual(to other: ViewerClass) -> Bool { other.key(as: Key.self) == value }

    @usableFromInline
    func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

/// Clients of one class of a view, who may be of another class since the state has changed.
///
/// A view is asked about all of its groups at once.
@usableFromInline
package struct ViewerGroup: Sendable {
    /// The viewers that leave a group, one or more: the place of the group among those that were asked
    /// about, and their places in the group, in rising order.
    @usableFromInline package typealias Leavers = (group: Int, places: [Int])

    /// The class by the state of before; nil where the view is for everybody, and no viewer leaves.
    @usableFromInline package let viewerClass: ViewerClass?
    @usableFromInline package internal(set) var viewers: [Viewer]

    package init(_ viewerClass: ViewerClass?, _ viewers: [Viewer]) {
        self.viewerClass = viewerClass
        self.viewers = viewers
    }
}

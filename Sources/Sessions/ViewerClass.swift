/// The viewers who are shown the same by a view: those for whom the view has the same key.
///
/// The key is all that a projection learns of them, so that sharing its bytes shows nothing to
/// others.
@usableFromInline
package struct ViewerClass: Hashable, Sendable {
    private let key: any Hashable & Sendable

    /// The viewers of a key.
    @usableFromInline
    package init(_ key: some Hashable & Sendable) {
        self.key = key
    }

    /// The key; nil where it has another type.
    @usableFromInline
    package func key<Key: Hashable>(as type: Key.Type) -> Key? {
        key as? Key
    }

    @usableFromInline
    package static func == (one: ViewerClass, other: ViewerClass) -> Bool {
        one.key.isEqual(to: other)
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        key.hash(into: &hasher)
    }
}

extension Hashable {
    /// The class has this key.
    fileprivate func isEqual(to other: ViewerClass) -> Bool {
        other.key(as: Self.self) == self
    }
}

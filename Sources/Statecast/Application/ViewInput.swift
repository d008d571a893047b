/// The input that a view was last computed of, for the viewers of a key.
@usableFromInline
final class ViewInput<Input: Equatable, Key> {
    @usableFromInline let value: Input
    @usableFromInline let key: Key

    @inlinable
    init(_ value: Input, for key: Key) {
        self.value = value
        self.key = key
    }

    /// The object holds an equal input.
    @inlinable
    static func isEqual(_ memory: AnyObject?, to value: Input, for _: Key) -> Bool {
        guard let known = memory as? ViewInput<Input, Key> else { return false }
        return known.value == value
    }
}

/// The input that a view was last computed of.
@usableFromInline
final class ViewInput<Input: Equatable> {
    @usableFromInline let value: Input

    @inlinable
    init(_ value: Input) {
        self.value = value
    }

    /// The object holds an equal input.
    @inlinable
    static func isEqual(_ memory: AnyObject?, to value: Input) -> Bool {
        (memory as? ViewInput<Input>)?.value == value
    }
}

/// Collects the works of a state: single ones and arrays of them, within `if`, `switch` and `for`.
///
///     func work(in state: State) -> [Work<Action>] {
///         if state.results.isLoading { Work("search", for: state.text, search) { .found($0) } }
///         for row in state.rows { favorite.work(in: row).map(in: row.id) { .row(id: row.id, $0) } }
///     }
@resultBuilder
public enum WorkBuilder<Action: Sendable> {
    /// The works of a part of the body.
    public typealias Part = [Work<Action>]

    /// One work.
    @inlinable public static func buildExpression(_ work: Work<Action>) -> Part { [work] }

    /// The works of a child, or any others.
    @inlinable public static func buildExpression(_ works: [Work<Action>]) -> Part { works }

    /// An empty body.
    @inlinable public static func buildBlock() -> Part { [] }

    /// The first statement of a body.
    @inlinable public static func buildPartialBlock(first: Part) -> Part { first }

    /// A statement behind others.
    @inlinable
    public static func buildPartialBlock(accumulated: Part, next: Part) -> Part {
        accumulated.isEmpty ? next : accumulated + next
    }

    /// An `if` without an `else`.
    @inlinable public static func buildOptional(_ part: Part?) -> Part { part ?? [] }

    /// The first branch.
    @inlinable public static func buildEither(first: Part) -> Part { first }

    /// The other branch.
    @inlinable public static func buildEither(second: Part) -> Part { second }

    /// A loop.
    @inlinable public static func buildArray(_ parts: [Part]) -> Part { parts.flatMap { $0 } }
}

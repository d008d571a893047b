/// Collects the works of a state: single ones and arrays of them, within `if`, `switch` and `for`.
///
///     func work(in state: State) -> [Work<Action>] {
///         if state.results.isLoading { Work("search", for: state.text, search) { .found($0) } }
///         for row in state.rows { favorite.work(in: row).map(in: row.id) { .row(id: row.id, $0) } }
///     }
@resultBuilder
public enum WorkBuilder<Action: Sendable> {
    /// The works of a part of the body; one work needs no array.
    public enum Part: Sendable {
        case none
        case one(Work<Action>)
        case many([Work<Action>])

        /// The works in their order.
        @inlinable public var works: [Work<Action>] {
            switch self {
            case .none: []
            case .one(let work): [work]
            case .many(let works): works
            }
        }

        /// This part, and another one behind it.
        @inlinable
        func followed(by next: Part) -> Part {
            switch (self, next) {
            case (.none, let only), (let only, .none): return only
            case (.one(let first), .one(let second)): return .many([first, second])
            case (.one(let first), .many(let works)): return .many([first] + works)
            case (.many(var works), .one(let last)):
                works.append(last)
                return .many(works)
            case (.many(let first), .many(let last)): return .many(first + last)
            }
        }
    }

    /// One work.
    @inlinable
    public static func buildExpression(_ work: Work<Action>) -> Part { .one(work) }

    /// The works of a child, or any others.
    @inlinable
    public static func buildExpression(_ works: [Work<Action>]) -> Part {
        works.isEmpty ? .none : .many(works)
    }

    /// An empty body.
    @inlinable
    public static func buildBlock() -> Part { .none }

    /// The first statement of a body.
    @inlinable
    public static func buildPartialBlock(first: Part) -> Part { first }

    /// A statement behind others.
    @inlinable
    public static func buildPartialBlock(accumulated: Part, next: Part) -> Part {
        accumulated.followed(by: next)
    }

    /// An `if` without an `else`.
    @inlinable
    public static func buildOptional(_ part: Part?) -> Part { part ?? .none }

    /// The first branch.
    @inlinable
    public static func buildEither(first: Part) -> Part { first }

    /// The other branch.
    @inlinable
    public static func buildEither(second: Part) -> Part { second }

    /// A loop.
    @inlinable
    public static func buildArray(_ parts: [Part]) -> Part {
        var works: [Work<Action>] = []
        works.reserveCapacity(parts.count)
        for part in parts {
            switch part {
            case .none: break
            case .one(let work): works.append(work)
            case .many(let more): works += more
            }
        }
        return works.isEmpty ? .none : .many(works)
    }

    /// The list.
    @inlinable
    public static func buildFinalResult(_ part: Part) -> [Work<Action>] { part.works }
}

/// Something that stands around the reducer: before it, after it, or both.
///
/// Interceptors run in their order on the state as it will be (head), before anything is logged:
/// what they let through is what the log holds, so that a replay needs no middleware. Reactions
/// run in their order once a step is committed, and answer with effects, which a replay does not
/// start.
public struct Middleware<State, Action: Sendable>: Sendable {
    /// The name, for logs and switches.
    public var name: String
    /// Switched off, it does nothing.
    public var isEnabled = true
    /// Decides before the reducer.
    public var intercept: (@Sendable (Action, State, Incoming) -> Verdict<Action>)?
    /// Reacts after the commit, with the effects that the step has.
    public var effectsAfter: (@Sendable (Transition<State, Action>) -> [Effect<Action>])?

    /// A middleware of one or both kinds.
    public init(
        _ name: String,
        intercept: (@Sendable (Action, State, Incoming) -> Verdict<Action>)? = nil,
        effectsAfter: (@Sendable (Transition<State, Action>) -> [Effect<Action>])? = nil
    ) {
        self.name = name
        self.intercept = intercept
        self.effectsAfter = effectsAfter
    }
}

/// The middleware of a store, in their order.
struct MiddlewareList<State, Action: Sendable>: Sendable {
    let all: [Middleware<State, Action>]
    private let count: Int
    private let interceptorCount: Int
    private let reactionCount: Int

    init(_ all: [Middleware<State, Action>]) {
        self.all = all
        count = all.count
        interceptorCount = all.count { $0.isEnabled && $0.intercept != nil }
        reactionCount = all.count { $0.isEnabled && $0.effectsAfter != nil }
    }

    var hasInterceptors: Bool { interceptorCount > 0 }
    var hasReactions: Bool { reactionCount > 0 }

    /// The interceptors that an action meets from one of them on.
    func indices(from first: Int) -> Range<Int> { first..<max(first, count) }

    /// Asks the interceptor at an index; an action passes where there is none.
    func judge(
        _ action: Action, at index: Int, on state: State, _ incoming: Incoming
    ) -> Verdict<Action> {
        let middleware = all[index]
        guard middleware.isEnabled, let intercept = middleware.intercept else { return .pass }
        return intercept(action, state, incoming)
    }

    /// The place where an action goes on that an interceptor delays.
    func place(
        behind index: Int, _ origin: Origin, _ by: Principal?
    ) -> InterceptorPlace {
        .init(index: index, name: all[index].name, origin: origin, by: by)
    }

    /// The interceptor that a delayed action meets first: the one behind the one that delayed it, or
    /// the one that has come to stand in its place.
    func index(behind place: InterceptorPlace) -> Int {
        let (index, name) = (place.index, place.name)
        if index < all.count, all[index].name == name { return index + 1 }
        return all.firstIndex { $0.name == name }.map { $0 + 1 } ?? index
    }
}

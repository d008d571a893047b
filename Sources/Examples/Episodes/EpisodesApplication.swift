public import Statecast

/// Upcoming TV episodes: a list with search, details with comments, profiles; navigation is state.
///
/// Everything that is fetched is fetched by the server, once, however many clients watch: effects
/// follow from what a step has set in flight, not from what a client shows.
public struct EpisodesApplication: Application {
    /// What every client of a session sees.
    public typealias State = EpisodesState
    /// What clients may send.
    public typealias Action = EpisodesAction
    /// What effects report.
    public typealias Fact = EpisodesFact

    /// Begins with the splash screen.
    public let initialState = EpisodesState()
    private let upstream: EpisodesUpstream

    /// How long the splash screen is shown.
    static let splashDuration = Duration.seconds(2)
    /// How long typing must pause before a search begins.
    static let searchDebounce = Duration.milliseconds(500)

    /// An application that asks this outside API.
    public init(upstream: EpisodesUpstream) {
        self.upstream = upstream
    }

    /// What a client's action changes.
    public func reduce(_ state: inout EpisodesState, action: Action) throws(Rejection) {
        try state.apply(action)
    }

    /// What an effect's report changes.
    public func reduce(_ state: inout EpisodesState, fact: Fact) throws(Rejection) {
        state.apply(fact)
    }

    /// The splash screen's end, and what is in flight.
    public func effects(
        starting state: EpisodesState, in session: SessionID
    ) -> [Effect<EpisodesState, Input>] {
        fetches(old: nil, new: state, isTyped: false, in: session)
    }

    /// What a step has set in flight.
    public func effects(
        after transition: Transition<EpisodesState, Input>, in session: SessionID
    ) -> [Effect<EpisodesState, Input>] {
        guard transition.changed else { return [] }
        var isTyped = false
        if case .action(.home(.searchEdited)) = transition.action { isTyped = true }
        return fetches(
            old: transition.old, new: transition.new, isTyped: isTyped, in: session)
    }

    private func fetches(
        old: EpisodesState?, new: EpisodesState, isTyped: Bool, in session: SessionID
    ) -> [Effect<EpisodesState, Input>] {
        var effects = EpisodesRequest.begun(in: new, after: old)
            .map { $0.effect(upstream.asked(for: session), isTyped: isTyped) }
        if new.screens == [.splash], old?.screens != [.splash] { effects.append(splash) }
        return effects
    }

    private var splash: Effect<EpisodesState, Input> {
        .run("splash", while: { $0.screens == [.splash] }) { context in
            try await context.sleep(for: Self.splashDuration)
            context.send(.fact(.splash(.ended)))
        }
    }
}

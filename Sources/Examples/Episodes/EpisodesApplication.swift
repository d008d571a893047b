package import Statecast

/// Upcoming TV episodes: a list with search, details with comments, profiles; navigation is state.
///
/// The server fetches everything once, however many clients watch: effects follow from the requests
/// that a step has put in flight, not from the screen that a client shows.
package struct EpisodesApplication: Application {
    package typealias State = EpisodesState
    package typealias Action = EpisodesAction

    package let initialState = EpisodesState()
    package let views = Views<EpisodesState>.all
    private let upstream: EpisodesUpstream

    /// The splash screen is shown for so long.
    static let splashDuration = Duration.seconds(2)
    /// Typing has to pause for so long before a search begins.
    static let searchDebounce = Duration.milliseconds(500)

    package init(upstream: EpisodesUpstream) {
        self.upstream = upstream
    }

    package func reduce(
        _ state: inout EpisodesState, _ action: EpisodesAction, _ step: Step
    ) throws(Rejection) {
        try state.apply(action)
    }

    /// Ends the splash screen, and fetches everything that is in flight.
    package func effects(
        starting state: EpisodesState, in session: SessionID
    ) -> [Effect<EpisodesState, EpisodesAction>] {
        fetches(old: nil, new: state, isTyped: false, in: session)
    }

    /// Fetches everything that a step has put in flight.
    package func effects(
        after transition: Transition<EpisodesState, EpisodesAction>, in session: SessionID
    ) -> [Effect<EpisodesState, EpisodesAction>] {
        guard transition.changed else { return [] }
        var isTyped = false
        if case .home(.searchEdited) = transition.action { isTyped = true }
        return fetches(
            old: transition.old, new: transition.new, isTyped: isTyped, in: session)
    }

    private func fetches(
        old: EpisodesState?, new: EpisodesState, isTyped: Bool, in session: SessionID
    ) -> [Effect<EpisodesState, EpisodesAction>] {
        var effects = EpisodesRequest.begun(in: new, after: old)
            .map { $0.effect(upstream.asked(for: session), isTyped: isTyped) }
        if new.screens == [.splash], old?.screens != [.splash] { effects.append(splash) }
        return effects
    }

    private var splash: Effect<EpisodesState, EpisodesAction> {
        .run("splash", while: { $0.screens == [.splash] }) { context in
            try await context.sleep(for: Self.splashDuration)
            context.send(.fact(.splash(.ended)))
        }
    }
}

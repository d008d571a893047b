package import EpisodesModel
package import Statecast

/// Upcoming TV episodes: a list with search, details with comments, profiles; navigation is state.
///
/// The server fetches everything once, however many clients watch, and however many screens show it:
/// each thing that the state waits for is one piece of work.
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

    package func work(in state: EpisodesState) -> [Work<EpisodesAction>] {
        if state.screens == [.splash] {
            Work("splash", for: Self.splashDuration, { try await $1.sleep(for: $0) }) { _ in
                .splash(.ended)
            }
        }
        if let home = state.home, home.loading.isLoading {
            // A search that was typed waits for a pause; what was asked for by a button does not.
            if home.isTyping {
                Work("search", for: home.query, policy: .debounced(Self.searchDebounce), list) {
                    .home(.loaded($0))
                }
            } else {
                Work("home", for: home.query, list) { .home(.loaded($0)) }
            }
        }
        for screen in state.episodes { work(on: screen) }
        for screen in state.profiles where screen.person.isLoading {
            let userID = screen.userID
            Work(["profile", userID], for: userID, asking { try await $0.person($1) }) {
                .profile(.loaded(userID: userID, answer: $0))
            }
        }
    }

    @WorkBuilder<EpisodesAction>
    private func work(on screen: EpisodeDetails) -> [Work<EpisodesAction>] {
        let id = screen.id
        if screen.details.isLoading {
            Work(["episode", id], for: id, asking { try await $0.episode($1) }) {
                .episode(.loaded(id: id, answer: $0))
            }
        }
        if screen.comments.loading.isLoading {
            Work(["comments", id], for: id, asking { try await $0.newestComments($1) }) {
                .comments(.loaded(id: id, answer: $0))
            }
        }
        if screen.comments.posting.isLoading {
            Work(["post", id], for: screen.comments.draft, asking { try await $0.post($1, id) }) {
                .episode(.commentAnswered(id: id, answer: $0))
            }
        }
    }

    private typealias Operation<Value, Output> =
        @Sendable (Value, WorkContext<EpisodesAction>) async throws -> Output

    /// The operation that finds the episodes of the list.
    private var list: Operation<String, [EpisodeSummary]> { asking { try await $0.list($1) } }

    /// An operation on the outside API, which is asked for the session; what goes wrong is shown in
    /// the API's words for it.
    private func asking<Value: Sendable, Output: Sendable>(
        _ operation: @escaping @Sendable (EpisodesUpstream, Value) async throws -> Output
    ) -> Operation<Value, Output> {
        { [upstream] value, context in
            do {
                return try await operation(upstream.asked(for: context.session), value)
            } catch {
                throw Problem(upstream: error)
            }
        }
    }
}

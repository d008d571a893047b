public import EpisodesModel
import HTTPClient
public import Statecast

/// Upcoming TV episodes: a list with search, details with comments, profiles; navigation is state.
///
/// The server fetches everything once, however many clients watch, and however many screens show it:
/// each thing that the state waits for is one piece of work.
public struct EpisodesApplication: Application {
    public let initialState = EpisodesState()
    public let views = Views<EpisodesState>(
        state: .all,
        View("screen", of: { $0[screen: $1] }, by: { $1.arguments["id"] }) { screen, _ in screen })
    public let rejectionCodes = [
        "bad-id", "being-posted", "empty-comment", "nothing-to-retry", "screen-not-shown",
        "splash-not-shown", "text-too-long", "too-many-screens",
    ]
    private let upstream: EpisodesUpstream

    /// The splash screen is shown for so long.
    static let splashDuration = Duration.seconds(2)
    /// Typing has to pause for so long before a search begins.
    static let searchDebounce = Duration.milliseconds(500)

    public init(upstream: EpisodesUpstream) {
        self.upstream = upstream
    }

    public func reduce(
        _ state: inout EpisodesState, _ action: EpisodesAction, _ step: Step
    ) throws(Rejection) {
        try state.apply(action)
    }

    public func work(in state: EpisodesState) -> [Work<EpisodesAction>] {
        if state.screens == [.splash] {
            Work("splash", for: Self.splashDuration, { try await $1.sleep(for: $0) }) { _ in
                .splash(.ended)
            }
        }
        if let home = state.home, home.loading.isLoading {
            // A search that was typed waits for a pause; what was asked for by a button does not.
            Work(
                home.isTyping ? "search" : "home", for: home.query,
                policy: home.isTyping ? .debounced(Self.searchDebounce) : WorkPolicy(),
                asking { Array(try await $0.episodes($1).prefix(EpisodesState.episodeLimit)) }
            ) { .home(.loaded($0)) }
        }
        for screen in state.episodes { work(on: screen) }
        for screen in state.profiles where screen.person.isLoading {
            let userID = screen.userID
            Work(["profile", userID], for: userID, asking(person)) {
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
            Work(
                ["comments", id], for: id,
                asking { Array(try await $0.comments($1).prefix(EpisodesState.commentLimit)) }
            ) { .comments(.loaded(id: id, answer: $0)) }
        }
        if screen.comments.posting.isLoading {
            Work(["post", id], for: screen.comments.draft, asking { try await $0.post($1, id) }) {
                .episode(.commentAnswered(id: id, answer: $0))
            }
        }
    }

    /// A person with the newest of their comments, both asked for at once.
    private func person(_ upstream: EpisodesUpstream, _ userID: String) async throws -> Person {
        async let user = upstream.user(userID)
        async let comments = upstream.commentsOfUser(userID)
        return Person(
            user: try await user,
            comments: Array(try await comments.prefix(EpisodesState.commentLimit)))
    }

    /// An operation on the outside API, which is asked for the session; what goes wrong is shown in
    /// the API's words for it.
    private func asking<Value: Sendable, Output: Sendable>(
        _ question: @escaping @Sendable (EpisodesUpstream, Value) async throws -> Output
    ) -> @Sendable (Value, WorkContext<EpisodesAction>) async throws -> Output {
        { [upstream] value, context in
            do {
                return try await JSONUpstream.onBehalf(
                    of: "episodes/\(context.session)", key: context.key
                ) {
                    try await question(upstream, value)
                }
            } catch {
                throw Problem("upstream", UpstreamError.message(for: error))
            }
        }
    }
}

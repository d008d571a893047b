import OutsideAPI
import Statecast

/// A request that a state has in flight: its number, and the thing that it asks for.
struct EpisodesRequest {
    enum Kind: Hashable {
        case home(query: String)
        case episode(String)
        case comments(String)
        case post(text: String, episodeID: String)
        case profile(String)
    }

    let number: Int
    let kind: Kind

    /// The requests that a state has in flight, each once.
    static func all(in state: EpisodesState) -> [EpisodesRequest] {
        var requests: [EpisodesRequest] = []
        var numbers: Set<Int> = []
        func add(_ loading: Loading, _ kind: @autoclosure () -> Kind) {
            guard let number = loading.request, numbers.insert(number).inserted else { return }
            requests.append(EpisodesRequest(number: number, kind: kind()))
        }
        for screen in state.screens {
            switch screen {
            case .splash: break
            case .home(let home):
                add(home.loading, .home(query: home.searchText.isBlank ? "" : home.searchText))
            case .episode(let details):
                add(details.loading, .episode(details.id))
                add(details.comments.loading, .comments(details.id))
                add(
                    details.comments.posting,
                    .post(text: details.comments.draft, episodeID: details.id))
            case .profile(let profile):
                add(profile.loading, .profile(profile.userID))
            }
        }
        return requests
    }

    /// The requests that a state has in flight and the state before had not; all of them where
    /// there was no state before.
    ///
    /// A request that begins has a number above all earlier ones, so that equal last numbers mean
    /// that none has begun.
    static func begun(in new: EpisodesState, after old: EpisodesState?) -> [EpisodesRequest] {
        let last = old?.lastRequest ?? 0
        guard new.lastRequest != last else { return [] }
        return all(in: new).filter { $0.number > last }
    }

    /// Fetches; the effect is cancelled when the state no longer has this request in flight.
    func effect(
        _ upstream: EpisodesUpstream, isTyped: Bool
    ) -> Effect<EpisodesState, EpisodesAction> {
        let number = number
        let kind = kind
        var policy = EffectPolicy.latest
        if isTyped, case .home = kind {
            policy = policy.debounced(EpisodesApplication.searchDebounce)
        }
        return .run(name, policy: policy, while: { $0.isInFlight(number) }) { context in
            context.send(.fact(try await kind.fetch(from: upstream, as: number)))
        } catch: { error, context in
            context.send(.fact(kind.failure(UpstreamError.message(for: error), as: number)))
        }
    }

    private var name: String {
        switch kind {
        case .home: "home"
        case .episode(let id): "episode/\(id)"
        case .comments(let id): "comments/\(id)"
        case .post(_, let id): "post/\(id)"
        case .profile(let id): "profile/\(id)"
        }
    }
}

extension EpisodesRequest.Kind {
    /// Asks the outside API; returns the answer as a fact.
    func fetch(from upstream: EpisodesUpstream, as number: Int) async throws -> EpisodesFact {
        switch self {
        case .home(let query):
            let episodes = try await upstream.episodes(query)
            return .home(.loaded(request: number, episodes: Array(episodes.prefix(500))))
        case .episode(let id):
            return .episode(.loaded(request: number, episode: try await upstream.episode(id)))
        case .comments(let id):
            let comments = try await upstream.comments(id)
            return .comments(
                .loaded(
                    request: number, id: id,
                    comments: Array(comments.prefix(EpisodesLimits.comments))))
        case .post(let text, let id):
            return .comment(.accepted(request: number, comment: try await upstream.post(text, id)))
        case .profile(let userID):
            async let user = upstream.user(userID)
            async let comments = upstream.commentsOfUser(userID)
            return .profile(
                .loaded(
                    request: number, user: try await user,
                    comments: Array(try await comments.prefix(EpisodesLimits.comments))))
        }
    }

    /// The fact that the request failed.
    func failure(_ message: String, as number: Int) -> EpisodesFact {
        switch self {
        case .home: .home(.failed(request: number, message: message))
        case .episode(let id): .episode(.failed(request: number, id: id, message: message))
        case .comments(let id): .comments(.failed(request: number, id: id, message: message))
        case .post(_, let id): .comment(.failed(request: number, id: id, message: message))
        case .profile(let id): .profile(.failed(request: number, userID: id, message: message))
        }
    }
}

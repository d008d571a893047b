@testable import Episodes
@testable import EpisodesModel
import Foundation
import Redux
import Statecast
import StatecastTesting
import Testing

/// Episodes on a test store, with an outside API that answers when the test says.
struct EpisodesStage {
    typealias Store = TestStore<EpisodesState, EpisodesAction>
    /// Testing has one, too.
    typealias Comment = EpisodesModel.Comment

    struct Unreachable: Error {}

    let lists: ManualAnswers<String, [EpisodeSummary]>
    let episodes = ManualAnswers<String, Episode>()
    let comments = ManualAnswers<String, [Comment]>()
    let posts = ManualAnswers<String, Comment>()
    let users = ManualAnswers<String, User>()
    let commentsOfUsers = ManualAnswers<String, [Comment]>()
    let store: Store

    static let user = User(
        id: "u1", name: "Ada", about: "", picture: "/ada.svg")
    static let summary = EpisodeSummary(
        id: "e1", show: "Tin", title: "One", season: 1, number: 1,
        releaseDate: "4001-01-01T00:00:00.000Z",
        picture: "/e1.svg")
    static let episode = Episode(
        id: "e1", show: "Tin", title: "One", season: 1, number: 1, summary: "",
        releaseDate: "4001-01-01T00:00:00.000Z", picture: "/e1.svg", runtimeMinutes: 42)
    static let comment = Comment(
        id: "c1", episodeID: "e1", episodeTitle: "One", author: user, text: "Well!",
        postedAt: "2026-11-20T18:02:11.000Z")

    /// Right after the start, on the splash screen.
    init(
        listsIgnoreCancellation: Bool = false, initial state: EpisodesState? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        lists = ManualAnswers(ignoresCancellation: listsIgnoreCancellation)
        let (lists, episodes, comments) = (lists, episodes, comments)
        let (posts, users, commentsOfUsers) = (posts, users, commentsOfUsers)
        let upstream = EpisodesUpstream(
            episodes: { try await lists.answer(to: $0) },
            episode: { try await episodes.answer(to: $0) },
            comments: { try await comments.answer(to: $0) },
            post: { text, id in try await posts.answer(to: "\(id): \(text)") },
            user: { try await users.answer(to: $0) },
            commentsOfUser: { try await commentsOfUsers.answer(to: $0) })
        store = TestStore(
            EpisodesApplication(upstream: upstream), initial: state,
            sourceLocation: sourceLocation)
    }

    /// On the list of episodes, with one in it.
    static func home(
        listsIgnoreCancellation: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) -> EpisodesStage {
        let stage = EpisodesStage(
            listsIgnoreCancellation: listsIgnoreCancellation, sourceLocation: sourceLocation)
        stage.store.advance(by: .seconds(2))
        stage.lists.succeed("", with: [summary])
        stage.store.skipReceived()
        return stage
    }

    /// On an episode, all of it fetched.
    static func episode(sourceLocation: SourceLocation = #_sourceLocation) -> EpisodesStage {
        let stage = home(sourceLocation: sourceLocation)
        stage.store.exhaustivity = .nonExhaustive
        stage.store.send(.screens(.shown(.episode("e1"))))
        stage.episodes.succeed("e1", with: episode)
        stage.comments.succeed("e1", with: [])
        stage.store.skipReceived()
        stage.store.exhaustivity = .exhaustive
        return stage
    }

    /// Types into the search.
    func type(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        store.send(.home(.searchEdited(text: text)), sourceLocation: sourceLocation) {
            try $0.changeHome {
                $0.searchText = text
                ($0.loading, $0.isTyping) = (.loading(nil), true)
            }
        }
    }

    /// Sees that a search has found nothing.
    func receiveNothingFound(sourceLocation: SourceLocation = #_sourceLocation) {
        store.receive(.home(.loaded(.value([]))), sourceLocation: sourceLocation) {
            try $0.changeHome {
                ($0.loading, $0.isTyping) = (.idle, false)
                $0.episodes = []
            }
        }
    }
}

extension EpisodesState {
    /// Changes the list of episodes.
    mutating func changeHome(_ change: (inout Home) -> Void) throws {
        var home = try #require(home)
        change(&home)
        self.home = home
    }

    /// Changes an episode's screens.
    mutating func changeEpisode(_ id: String, _ change: (inout EpisodeDetails) -> Void) throws {
        var details = try #require(self[episode: id])
        change(&details)
        self[episode: id] = details
    }
}

@testable import Episodes
@testable import EpisodesModel
import HTTPClient
import Statecast
import StatecastTesting
import Testing

@Suite struct `Episodes, step by step` {
    @Test func `shows the splash screen for exactly two seconds`() {
        let stage = EpisodesStage()
        let store = stage.store
        store.advance(by: .milliseconds(1_999))
        #expect(stage.lists.asked.isEmpty)
        store.advance(by: .milliseconds(1))
        store.receive(.splash(.ended)) {
            var home = Home()
            home.loading = .loading(nil)
            $0.screens = [.home(home)]
        }
        #expect(stage.lists.asked == [""])
        stage.lists.succeed("", with: [EpisodesStage.summary])
        store.receive(.home(.loaded(.value([EpisodesStage.summary])))) {
            try $0.changeHome {
                $0.loading = .idle
                $0.episodes = [EpisodesStage.summary]
                $0.upcoming = [EpisodesStage.summary]
            }
        }
        store.restart()
    }

    @Test func `asks once, exactly when typing has paused for half a second`() {
        let stage = EpisodesStage.home()
        let store = stage.store
        for (count, text) in ["t", "ti", "tin"].enumerated() {
            stage.type(text)
            store.advance(by: .milliseconds(499))
            #expect(stage.lists.asked == [""], "after \(count + 1) letters")
        }
        store.advance(by: .milliseconds(1))
        #expect(stage.lists.asked == ["", "tin"])
        stage.lists.succeed("tin", with: [])
        stage.receiveNothingFound()
        store.advance(by: .seconds(60))
        #expect(stage.lists.asked == ["", "tin"])
        store.restart()
    }

    @Test func `does not ask again for a text that is the same, and asks nothing for none`() {
        let stage = EpisodesStage.home()
        let store = stage.store
        stage.type("tin")
        store.send(.home(.searchEdited(text: "tin")))
        store.send(.home(.searchEdited(text: ""))) {
            try $0.changeHome {
                $0.searchText = ""
                ($0.loading, $0.isTyping) = (.idle, false)
            }
        }
        store.advance(by: .seconds(60))
        #expect(stage.lists.asked == [""])
        store.restart()
    }

    @Test func `asks at once for a search whose refresh is asked for while it waits`() {
        let stage = EpisodesStage.home()
        let store = stage.store
        stage.type("tin")
        store.send(.home(.refreshed)) {
            try $0.changeHome { $0.isTyping = false }
        }
        #expect(stage.lists.asked == ["", "tin"])
        store.advance(by: .seconds(1))
        #expect(stage.lists.asked == ["", "tin"])
        stage.lists.succeed("tin", with: [EpisodesStage.summary])
        store.receive(.home(.loaded(.value([EpisodesStage.summary])))) {
            try $0.changeHome { $0.loading = .idle }
        }
        store.restart()
    }

    @Test(arguments: [true, false])
    func `shows the latest of two searches that are answered in reverse order`(isFound: Bool) {
        let stage = EpisodesStage.home(listsIgnoreCancellation: true)
        let store = stage.store
        for text in ["ti", "tin"] {
            stage.type(text)
            store.advance(by: .milliseconds(500))
        }
        #expect(stage.lists.waiting == ["ti", "tin"])
        #expect(stage.lists.cancelled == ["ti"])
        stage.lists.succeed("tin", with: [])
        stage.receiveNothingFound()
        if isFound {
            stage.lists.succeed("ti", with: [EpisodesStage.summary])
        } else {
            stage.lists.fail("ti", with: EpisodesStage.Unreachable())
        }
        store.restart()
        store.finish()
    }

    @Test func `hears nothing of a list that it has left`() {
        let stage = EpisodesStage.home(listsIgnoreCancellation: true)
        let store = stage.store
        store.send(.home(.refreshed)) {
            try $0.changeHome { $0.loading = .loading(nil) }
        }
        store.send(.screens(.dismissed(.home))) { $0.screens = [.splash] }
        store.advance(by: .seconds(2))
        store.receive(.splash(.ended)) {
            var home = Home()
            home.loading = .loading(nil)
            $0.screens = [.home(home)]
        }
        #expect(stage.lists.waiting == ["", ""])
        stage.lists.succeed("", with: [EpisodesStage.summary])
        store.advance()
        #expect(store.state.home?.loading.isLoading == true)
        stage.lists.succeed("", with: [])
        store.receive(.home(.loaded(.value([])))) {
            try $0.changeHome { $0.loading = .idle }
        }
        store.restart()
    }

    @Test func `forgets what comes after the screen was left`() {
        let stage = EpisodesStage.home()
        let store = stage.store
        let home = store.state
        store.send(.screens(.shown(.episode("e1")))) {
            var details = EpisodeDetails(id: "e1")
            details.details = .loading(nil)
            details.comments.loading = .loading(nil)
            $0.screens.append(.episode(details))
            try $0.changeHome { $0.presentedEpisode = "e1" }
        }
        #expect(store.runningWork.map(\.name) == ["episode/e1", "comments/e1"])
        store.send(.screens(.dismissed(.episode("e1")))) {
            $0.screens = home.screens
        }
        #expect(stage.episodes.cancelled == ["e1"])
        #expect(stage.comments.cancelled == ["e1"])
        #expect(store.runningWork.isEmpty)
        store.send(.screens(.dismissed(.episode("e1"))), rejectedAs: "screen-not-shown")
        store.restart()
    }

    @Test func `posts a comment once, however often it is sent`() {
        let stage = EpisodesStage.episode()
        let store = stage.store
        let post = EpisodesAction.episode(.commentPosted(id: "e1", text: "Well!"))
        store.send(post) {
            try $0.changeEpisode("e1") {
                $0.comments.draft = "Well!"
                $0.comments.posting = .loading(nil)
            }
        }
        store.send(post, rejectedAs: "being-posted")
        store.send(.episode(.draftEdited(id: "e1", text: "Hm.")), rejectedAs: "being-posted")
        #expect(stage.posts.asked == ["e1: Well!"])
        stage.posts.succeed("e1: Well!", with: EpisodesStage.comment)
        store.receive(
            .episode(.commentAnswered(id: "e1", answer: .value(EpisodesStage.comment)))
        ) {
            try $0.changeEpisode("e1") {
                $0.comments.draft = ""
                $0.comments.posting = .idle
                $0.comments.items = [EpisodesStage.comment]
            }
        }
        store.restart()
    }

    @Test func `keeps a comment that could not be posted`() {
        let stage = EpisodesStage.episode()
        let store = stage.store
        store.exhaustivity = .nonExhaustive
        store.send(.episode(.commentPosted(id: "e1", text: "Well!")))
        stage.posts.fail("e1: Well!", with: EpisodesStage.Unreachable())
        store.receive(.episode(.commentAnswered(id: "e1", answer: .problem(Self.nonsense))))
        #expect(store.state[episode: "e1"]?.comments.draft == "Well!")
        #expect(store.state[episode: "e1"]?.comments.posting == .failed(Self.nonsense, nil))
        store.send(.episode(.commentPosted(id: "e1", text: "Well!")))
        #expect(stage.posts.waiting == ["e1: Well!"])
        store.restart()
        stage.posts.succeed("e1: Well!", with: EpisodesStage.comment)
        store.skipReceived()
        #expect(store.state[episode: "e1"]?.comments.items == [EpisodesStage.comment])
    }

    @Test func `fetches again what failed, when the person asks for it`() {
        let stage = EpisodesStage()
        let store = stage.store
        store.exhaustivity = .nonExhaustive
        store.advance(by: .seconds(2))
        store.send(.home(.retried), rejectedAs: "nothing-to-retry")
        stage.lists.fail("", with: EpisodesStage.Unreachable())
        store.receive(.home(.loaded(.problem(Self.nonsense))))
        #expect(store.state.home?.loading == .failed(Self.nonsense, nil))
        store.exhaustivity = .exhaustive
        store.send(.home(.retried)) {
            try $0.changeHome { $0.loading = .loading(nil) }
        }
        #expect(stage.lists.waiting == [""])
        stage.lists.succeed("", with: [])
        store.receive(.home(.loaded(.value([])))) {
            try $0.changeHome { $0.loading = .idle }
        }
        store.restart()
    }

    @Test func `fetches again each part of an episode and a profile that failed`() {
        let stage = EpisodesStage.home()
        let store = stage.store
        store.exhaustivity = .nonExhaustive
        store.send(.screens(.shown(.episode("e1"))))
        store.send(.screens(.shown(.profile(userID: "u1", commentID: nil))))
        stage.episodes.fail("e1", with: EpisodesStage.Unreachable())
        stage.comments.fail("e1", with: EpisodesStage.Unreachable())
        stage.users.fail("u1", with: EpisodesStage.Unreachable())
        store.skipReceived()
        #expect(store.runningWork.isEmpty)
        #expect(store.state[episode: "e1"]?.details == .failed(Self.nonsense, nil))
        #expect(store.state[episode: "e1"]?.comments.loading == .failed(Self.nonsense, nil))
        #expect(store.state[person: "u1"] == .failed(Self.nonsense, nil))
        store.send(.episode(.retried(id: "e1")))
        store.send(.comments(.retried(id: "e1")))
        store.send(.profile(.retried(userID: "u1")))
        #expect(stage.episodes.waiting == ["e1"])
        #expect(stage.comments.waiting == ["e1"])
        #expect(stage.users.waiting == ["u1"])
        store.restart()
        stage.episodes.succeed("e1", with: EpisodesStage.episode)
        stage.comments.succeed("e1", with: [])
        store.skipReceived()
        #expect(store.state[episode: "e1"]?.details == .loaded(EpisodesStage.episode))
        #expect(store.runningWork.map(\.name) == ["profile/u1"])
    }

    @Test func `says why the outside API did not answer`() {
        let stage = EpisodesStage.home()
        let store = stage.store
        store.exhaustivity = .nonExhaustive
        store.send(.screens(.shown(.episode("e1"))))
        stage.episodes.fail("e1", with: UpstreamError(status: 404))
        store.receive(
            .episode(
                .loaded(
                    id: "e1",
                    answer: .problem(Problem("upstream", "The service does not know this.")))))
        store.restart()
        #expect(stage.comments.waiting == ["e1"] && stage.episodes.waiting == [])
    }

    @Test func `asks for a person and their comments at once, and needs both`() {
        let stage = EpisodesStage.episode()
        let store = stage.store
        store.exhaustivity = .nonExhaustive
        store.send(.screens(.shown(.profile(userID: "u1", commentID: nil))))
        #expect(stage.users.waiting == ["u1"])
        #expect(stage.commentsOfUsers.waiting == ["u1"])
        stage.users.succeed("u1", with: EpisodesStage.user)
        store.advance()
        #expect(store.state[person: "u1"]?.value == nil)
        stage.commentsOfUsers.succeed("u1", with: [EpisodesStage.comment])
        let person = Person(user: EpisodesStage.user, comments: [EpisodesStage.comment])
        store.receive(.profile(.loaded(userID: "u1", answer: .value(person))))
        #expect(store.state[person: "u1"] == .loaded(person))
        #expect(store.runningWork.isEmpty)
        store.restart()
    }

    private static let nonsense = Problem(
        "upstream", "The service's answer made no sense. Try again.")
}

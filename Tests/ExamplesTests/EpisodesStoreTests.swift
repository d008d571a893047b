import Episodes
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
        store.receive(.fact(.splash(.ended))) {
            var home = Home()
            home.loading = .inFlight(1)
            $0.screens = [.home(home)]
            $0.lastRequest = 1
        }
        #expect(stage.lists.asked == [""])
        stage.lists.succeed("", with: [EpisodesStage.summary])
        store.receive(.fact(.home(.loaded(request: 1, episodes: [EpisodesStage.summary])))) {
            try $0.changeHome {
                $0.loading = .idle
                $0.episodes = [EpisodesStage.summary]
                $0.upcoming = [EpisodesStage.summary]
            }
        }
    }

    @Test func `asks once, exactly when typing has paused for half a second`() {
        let stage = EpisodesStage.home()
        let store = stage.store
        for (count, text) in ["t", "ti", "tin"].enumerated() {
            store.send(.home(.searchEdited(text: text))) {
                let loading = $0.nextLoading()
                try $0.changeHome {
                    $0.searchText = text
                    $0.loading = loading
                }
            }
            store.advance(by: .milliseconds(499))
            #expect(stage.lists.asked == [""], "after \(count + 1) letters")
        }
        store.advance(by: .milliseconds(1))
        #expect(stage.lists.asked == ["", "tin"])
        stage.lists.succeed("tin", with: [])
        store.receive(.fact(.home(.loaded(request: 4, episodes: [])))) {
            try $0.changeHome {
                $0.loading = .idle
                $0.episodes = []
            }
        }
        store.advance(by: .seconds(60))
        #expect(stage.lists.asked == ["", "tin"])
    }

    @Test func `does not ask again for a text that is the same, and asks nothing for none`() {
        let stage = EpisodesStage.home()
        let store = stage.store
        store.send(.home(.searchEdited(text: "tin"))) {
            let loading = $0.nextLoading()
            try $0.changeHome {
                $0.searchText = "tin"
                $0.loading = loading
            }
        }
        store.send(.home(.searchEdited(text: "tin")))
        store.send(.home(.searchEdited(text: ""))) {
            try $0.changeHome {
                $0.searchText = ""
                $0.loading = .idle
            }
        }
        store.advance(by: .seconds(60))
        #expect(stage.lists.asked == [""])
    }

    @Test func `shows the latest of two searches that are answered in reverse order`() {
        let stage = EpisodesStage.home(listsIgnoreCancellation: true)
        let store = stage.store
        for (request, text) in [(2, "ti"), (3, "tin")] {
            store.send(.home(.searchEdited(text: text))) {
                $0.lastRequest = request
                try $0.changeHome {
                    $0.searchText = text
                    $0.loading = .inFlight(request)
                }
            }
            store.advance(by: .milliseconds(500))
        }
        #expect(stage.lists.waiting == ["ti", "tin"])
        #expect(stage.lists.cancelled == ["ti"])
        stage.lists.succeed("tin", with: [])
        store.receive(.fact(.home(.loaded(request: 3, episodes: [])))) {
            try $0.changeHome {
                $0.loading = .idle
                $0.episodes = []
            }
        }
        stage.lists.succeed("ti", with: [EpisodesStage.summary])
        store.finish()
    }

    @Test func `forgets what comes after the screen was left`() {
        let stage = EpisodesStage.home()
        let store = stage.store
        let home = store.state
        store.send(.screens(.shown(.episode("e1")))) {
            var details = EpisodeDetails(id: "e1")
            details.loading = $0.nextLoading()
            details.comments.loading = $0.nextLoading()
            $0.screens.append(.episode(details))
            try $0.changeHome { $0.presentedEpisode = "e1" }
        }
        #expect(store.runningEffects.map(\.name) == ["episode/e1", "comments/e1"])
        store.send(.screens(.dismissed(.episode("e1")))) {
            $0.screens = home.screens
        }
        #expect(stage.episodes.cancelled == ["e1"])
        #expect(stage.comments.cancelled == ["e1"])
        #expect(store.runningEffects.isEmpty)
        store.send(.screens(.dismissed(.episode("e1"))), rejectedAs: "screen-not-shown")
    }

    @Test func `posts a comment once, however often it is sent`() {
        let stage = EpisodesStage.episode()
        let store = stage.store
        let post = EpisodesAction.episode(.commentPosted(id: "e1", text: "Well!"))
        store.send(post) {
            let posting = $0.nextLoading()
            try $0.changeEpisode("e1") {
                $0.comments.draft = "Well!"
                $0.comments.posting = posting
            }
        }
        store.send(post, rejectedAs: "being-posted")
        store.send(.episode(.draftEdited(id: "e1", text: "Hm.")), rejectedAs: "being-posted")
        #expect(stage.posts.asked == ["e1: Well!"])
        stage.posts.succeed("e1: Well!", with: EpisodesStage.comment)
        store.receive(.fact(.comment(.accepted(request: 4, comment: EpisodesStage.comment)))) {
            try $0.changeEpisode("e1") {
                $0.comments.draft = ""
                $0.comments.posting = .idle
                $0.comments.items = [EpisodesStage.comment]
            }
        }
    }

    @Test func `keeps a comment that could not be posted`() {
        let stage = EpisodesStage.episode()
        let store = stage.store
        store.exhaustivity = .nonExhaustive
        store.send(.episode(.commentPosted(id: "e1", text: "Well!")))
        stage.posts.fail("e1: Well!", with: EpisodesStage.Unreachable())
        store.receive(where: {
            if case .fact(.comment(.failed(request: 4, "e1", _))) = $0 { true } else { false }
        })
        #expect(store.state.episode("e1")?.comments.draft == "Well!")
        #expect(store.state.episode("e1")?.comments.posting.hasFailed == true)
    }

    @Test func `fetches again what failed, when the person asks for it`() {
        let stage = EpisodesStage()
        let store = stage.store
        store.exhaustivity = .nonExhaustive
        store.run()
        store.send(.home(.retried), rejectedAs: "nothing-to-retry")
        stage.lists.fail("", with: EpisodesStage.Unreachable())
        store.receive(where: {
            if case .fact(.home(.failed(request: 1, _))) = $0 { true } else { false }
        })
        store.exhaustivity = .exhaustive
        store.send(.home(.retried)) {
            let loading = $0.nextLoading()
            try $0.changeHome { $0.loading = loading }
        }
        #expect(stage.lists.waiting == [""])
        stage.lists.succeed("", with: [])
        store.receive(.fact(.home(.loaded(request: 2, episodes: [])))) {
            try $0.changeHome { $0.loading = .idle }
        }
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
        #expect(store.state.profile("u1")?.user == nil)
        stage.commentsOfUsers.succeed("u1", with: [EpisodesStage.comment])
        store.receive(
            .fact(
                .profile(
                    .loaded(request: 4, user: EpisodesStage.user, comments: [EpisodesStage.comment])
                )))
        #expect(store.state.profile("u1")?.comments == [EpisodesStage.comment])
        #expect(store.runningEffects.isEmpty)
    }

    @Test func `takes up after a restart what the state says is in flight`() {
        var state = EpisodesState()
        var home = Home()
        home.searchText = "tin"
        home.loading = .inFlight(7)
        state.screens = [.home(home)]
        state.lastRequest = 7
        let stage = EpisodesStage(initial: state)
        #expect(stage.lists.asked == ["tin"], "at once: nobody is typing")
        stage.lists.succeed("tin", with: [])
        stage.store.receive(.fact(.home(.loaded(request: 7, episodes: [])))) {
            try $0.changeHome { $0.loading = .idle }
        }
    }
}

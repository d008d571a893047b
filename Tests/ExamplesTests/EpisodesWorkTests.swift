import Redux
import StateCoding
import StatecastTesting
import Testing

@testable import Episodes
@testable import EpisodesModel

@Suite struct `The work of Episodes` {
    /// The states that some actions and facts lead through.
    private func states() -> [EpisodesState] {
        var state = EpisodesState()
        var states = [state]
        var actions: [EpisodesAction] = [
            .screens(.shown(.home)), .home(.searchEdited(text: "t")), .home(.refreshed),
        ]
        for number in 0..<8 {
            actions += [
                .screens(.shown(.episode("e\(number % 5)"))),
                .screens(.shown(.profile(userID: "u\(number % 3)", commentID: "c\(number)"))),
                .episode(.commentPosted(id: "e\(number % 5)", text: "Well")),
                .comments(.loaded(id: "e\(number % 2)", answer: .problem(.timedOut))),
                .profile(.loaded(userID: "u1", answer: .problem(.timedOut))),
            ]
        }
        actions.append(.home(.loaded(.problem(.timedOut))))
        actions += (0..<5).map { .screens(.dismissed(.episode("e\($0)"))) }
        for action in actions {
            do throws(Rejection) { try state.apply(action) } catch { continue }
            states.append(state)
        }
        return states
    }

    /// The names of all that the screens of a state wait for.
    private func awaited(in state: EpisodesState) -> Set<String> {
        var names: Set<String> = state.screens == [.splash] ? ["splash"] : []
        for screen in state.screens {
            switch screen {
            case .splash: break
            case .home(let home):
                if home.loading.isLoading { names.insert(home.isTyping ? "search" : "home") }
            case .episode(let details):
                if details.details.isLoading { names.insert("episode/\(details.id)") }
                if details.comments.loading.isLoading { names.insert("comments/\(details.id)") }
                if details.comments.posting.isLoading { names.insert("post/\(details.id)") }
            case .profile(let profile):
                if profile.person.isLoading { names.insert("profile/\(profile.userID)") }
            }
        }
        return names
    }

    @Test func `is all that a screen waits for, each once`() {
        var seen: Set<String> = []
        for state in states() {
            let stage = EpisodesStage(initial: state)
            stage.store.exhaustivity = .nonExhaustive
            let names = stage.store.runningWork.map(\.name)
            #expect(Set(names).count == names.count)
            #expect(Set(names) == awaited(in: state))
            seen.formUnion(names)
        }
        #expect(seen.isSuperset(of: ["splash", "home", "search", "post/e1", "profile/u2"]))
    }

    @Test func `is done once for a thing that many screens show, and fills them all`() {
        let stage = EpisodesStage.home()
        let store = stage.store
        store.exhaustivity = .nonExhaustive
        for _ in 0..<5 { store.send(.screens(.shown(.episode("e1")))) }
        for comment in ["c1", "c2"] {
            store.send(.screens(.shown(.profile(userID: "u1", commentID: comment))))
        }
        #expect(stage.episodes.asked == ["e1"])
        #expect(stage.comments.asked == ["e1"])
        #expect(stage.users.asked == ["u1"])
        stage.episodes.succeed("e1", with: EpisodesStage.episode)
        store.receive(
            .episode(.loaded(id: "e1", answer: .value(EpisodesStage.episode))))
        let shown = store.state.screens.filter { $0.id == .episode("e1") }
        #expect(shown.count == 5)
        #expect(Set(shown.map { "\($0)" }).count == 1)
        #expect(store.state[episode: "e1"]?.details == .loaded(EpisodesStage.episode))
        store.restart()
    }

    @Test func `starts again after a restart, all of it that was in flight`() throws {
        let stage = EpisodesStage.home()
        stage.store.exhaustivity = .nonExhaustive
        stage.store.send(.home(.searchEdited(text: "tin")))
        stage.store.advance(by: .milliseconds(500))
        stage.store.send(.screens(.shown(.episode("e1"))))
        stage.episodes.succeed("e1", with: EpisodesStage.episode)
        stage.store.send(.episode(.commentPosted(id: "e1", text: "Well!")))
        stage.store.send(.screens(.shown(.profile(userID: "u1", commentID: nil))))

        let next = EpisodesStage(initial: try restored(stage.store.state))
        let store = next.store
        #expect(store.state == stage.store.state)
        #expect(
            store.runningWork.map(\.name) == ["search", "comments/e1", "post/e1", "profile/u1"])
        #expect(next.episodes.asked.isEmpty)
        next.comments.succeed("e1", with: [])
        store.receive(.comments(.loaded(id: "e1", answer: .value([])))) {
            try $0.changeEpisode("e1") { $0.comments.loading = .idle }
        }
        next.posts.succeed("e1: Well!", with: EpisodesStage.comment)
        store.receive(
            .episode(.commentAnswered(id: "e1", answer: .value(EpisodesStage.comment)))
        ) {
            try $0.changeEpisode("e1") {
                $0.comments.draft = ""
                $0.comments.posting = .idle
                $0.comments.items = [EpisodesStage.comment]
            }
        }
        let person = Person(user: EpisodesStage.user, comments: [EpisodesStage.comment])
        next.users.succeed("u1", with: person.user)
        next.commentsOfUsers.succeed("u1", with: person.comments)
        store.receive(.profile(.loaded(userID: "u1", answer: .value(person)))) {
            var profile = Profile(userID: "u1", commentID: nil)
            profile.person = .loaded(person)
            $0.screens[2] = .profile(profile)
        }
        store.advance(by: .milliseconds(500))
        next.lists.succeed("tin", with: [])
        next.receiveNothingFound()
        store.restart()
        store.finish()
    }

    /// The state as a server reads it that was started again.
    private func restored(_ state: EpisodesState) throws -> EpisodesState {
        var bytes: [UInt8] = []
        try StateEncoder().encode(state, into: &bytes)
        return try StateDecoder().decode(EpisodesState.self, from: bytes)
    }
}

@testable import Episodes
@testable import EpisodesModel
import Statecast
import Testing

@Suite struct `The Episodes reducer` {
    private static let application = ExampleApplications.episodes

    static let states: [EpisodesState] = {
        var home = EpisodesState()
        try? application.reduce(&home, .splash(.ended), .test())
        var episode = home
        try? application.reduce(&episode, .screens(.shown(.episode("e1"))), .test())
        var profile = episode
        try? application.reduce(
            &profile, .screens(.shown(.profile(userID: "u1", commentID: "c1"))), .test())
        return [EpisodesState(), home, episode, profile] + answered(home, episode, profile)
    }()

    private static let problem = Problem("upstream", "No.")

    /// The same screens after answers, good and bad, and while a comment is on its way.
    private static func answered(
        _ home: EpisodesState, _ episode: EpisodesState, _ profile: EpisodesState
    ) -> [EpisodesState] {
        [
            walk([.home(.loaded(.value([])))], from: home),
            walk([.home(.loaded(.problem(problem)))], from: home),
            walk(
                [
                    .episode(.loaded(id: "e1", answer: .problem(problem))),
                    .comments(.loaded(id: "e1", answer: .problem(problem))),
                ], from: episode),
            walk([.episode(.commentPosted(id: "e1", text: "x"))], from: episode),
            walk([.profile(.loaded(userID: "u1", answer: .problem(problem)))], from: profile),
        ]
    }

    /// The state that actions and facts lead to; a refused one is none.
    private static func walk(
        _ actions: [EpisodesAction], from start: EpisodesState
    ) -> EpisodesState {
        actions.reduce(into: start) { state, action in
            try? application.reduce(&state, action, .test())
        }
    }

    @Test func `has states of every kind of answer`() {
        #expect(Set(Self.states.indices.map { "\(Self.states[$0])" }).count == 9)
        #expect(Self.states[5].home?.loading == .failed(Self.problem, nil))
        #expect(Self.states[6][episode: "e1"]?.details == .failed(Self.problem, nil))
        #expect(Self.states[6][episode: "e1"]?.comments.loading == .failed(Self.problem, nil))
        #expect(Self.states[7][episode: "e1"]?.comments.posting.isLoading == true)
        #expect(Self.states[8][person: "u1"] == .failed(Self.problem, nil))
    }

    @Test(arguments: states.indices)
    func `ignores every answer about a screen that is not open`(index: Int) throws {
        let start = Self.states[index]
        var late: [EpisodesAction] = [
            .episode(.loaded(id: "e9", answer: .problem(Self.problem))),
            .episode(.commentAnswered(id: "e9", answer: .problem(Self.problem))),
            .comments(.loaded(id: "e9", answer: .value([]))),
            .comments(.loaded(id: "e9", answer: .problem(Self.problem))),
            .profile(.loaded(userID: "u9", answer: .problem(Self.problem))),
        ]
        if start.home == nil {
            late += [.home(.loaded(.value([]))), .home(.loaded(.problem(Self.problem)))]
        } else {
            late.append(.splash(.ended))
        }
        for fact in late {
            var state = start
            try Self.application.reduce(&state, fact, .test())
            #expect(state == start, "\(fact)")
        }
    }

    @Test func `fetches the whole list when a search before its arrival is given up`() throws {
        let state = Self.walk(
            [.home(.searchEdited(text: "t")), .home(.searchEdited(text: ""))],
            from: Self.states[1])
        #expect(state.home?.loading.isLoading == true)
    }

    @Test func `gives no two screens one name, whatever their ids are`() {
        let texts = ["u1", "u1:c1", "c1", ":", "::", "~", "~1", "~0", "u1~1c1", "u1:", ":c1"]
        var screens = [ScreenID.splash, .home] + texts.map { .episode($0) }
        for user in texts {
            screens.append(.profile(userID: user, commentID: nil))
            screens += texts.map { .profile(userID: user, commentID: $0) }
        }
        #expect(Set(screens.map(\.name)).count == screens.count)
        #expect(ScreenID.profile(userID: "u1", commentID: "c1").name == "profile:u1:c1")
    }

    @Test func `refuses a comment of spaces only`() {
        var state = Self.states[2]
        #expect(throws: Rejection.self) {
            try Self.application.reduce(
                &state, .episode(.commentPosted(id: "e1", text: " \n ")), .test())
        }
    }

    @Test func `changes only the draft of the episode that is named`() throws {
        var state = Self.states[2]
        try Self.application.reduce(&state, .screens(.shown(.episode("e2"))), .test())
        try Self.application.reduce(
            &state, .episode(.draftEdited(id: "e2", text: "second")), .test())
        #expect(state[episode: "e1"]?.comments.draft == "")
        #expect(state[episode: "e2"]?.comments.draft == "second")
    }

    @Test func `forgets the presented episode when it is dismissed`() throws {
        var state = Self.states[2]
        #expect(state.home?.presentedEpisode == "e1")
        try Self.application.reduce(&state, .screens(.dismissed(.episode("e1"))), .test())
        #expect(state.home?.presentedEpisode == nil)
        #expect(state.screens.count == 1)
    }
}

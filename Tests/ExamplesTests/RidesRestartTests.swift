@testable import Rides
@testable import RidesModel
import StateCoding
import Statecast
import StatecastTesting
import Testing

@Suite struct `Rides after a restart` {
    /// The state as it is read again from what was written of it.
    private static func restored(_ state: RidesState) throws -> RidesState {
        var bytes: [UInt8] = []
        try StateEncoder().encode(state, into: &bytes)
        return try StateDecoder().decode(RidesState.self, from: bytes.span)
    }

    @Test(arguments: RidesStage.Wait.allCases)
    func `asks again for whatever was awaited, and goes on with the answer`(
        wait: RidesStage.Wait
    ) throws {
        let before = try RidesStage.waiting(for: wait)
        let state = try Self.restored(before.store.state)
        #expect(state == before.store.state)
        before.store.cancelEffects()

        let stage = RidesStage(initial: state)
        let store = stage.store
        #expect(stage.running == [wait.rawValue])
        store.exhaustivity = .nonExhaustive
        try stage.answer(wait)
        store.skipReceived()
        let screens: [RidesStage.Wait: String] = [
            .locate: "map", .places: "dropoff", .options: "option", .order: "final",
        ]
        #expect(store.state.screenName == screens[wait])
        #expect(stage.running == (wait == .order ? ["settle"] : []))
        store.restart()
    }

    @Test func `waits for a pause again where a person was typing`() throws {
        let before = try RidesStage.waiting(for: .places)
        before.store.exhaustivity = .nonExhaustive
        before.store.send(.dropoff(.queryEdited(text: "ma")))
        before.store.advance(by: .milliseconds(500))
        let stage = RidesStage(initial: try Self.restored(before.store.state))
        let store = stage.store
        store.advance(by: .milliseconds(899))
        #expect(stage.places.asked == [])
        store.advance(by: .milliseconds(1))
        stage.places.succeed("ma", with: [RidesWorld.place])
        store.receive(.dropoff(.found(.value([RidesWorld.place])))) {
            try $0.changeDropoff {
                $0.latestSearch = nil
                $0.results = [RidesWorld.place]
            }
        }
        store.restart()
    }

    @Test func `ends a confirmation that was shown`() throws {
        let before = try RidesStage.waiting(for: .order)
        before.store.exhaustivity = .nonExhaustive
        try before.answer(.order)
        before.store.skipReceived()
        let store = RidesStage(initial: try Self.restored(before.store.state)).store
        #expect(store.state.screenName == "final")
        store.advance(by: .seconds(2))
        store.receive(.ride(.settled(.value(Done())))) {
            try $0.changeSignedIn { $0.ride = .waitingForPickup }
        }
        store.restart()
    }

    @Test(arguments: [RidesWorld.signIn, RidesWorld.signUp])
    func `asks for a form again whose password went, and sends nothing`(
        submission: RidesAction
    ) async throws {
        let before = RidesStage()
        before.store.exhaustivity = .nonExhaustive
        before.store.skipReceived()
        let isSignIn = submission == RidesWorld.signIn
        before.store.send(.welcome(isSignIn ? .signInChosen : .signUpChosen))
        before.store.send(submission)
        #expect(before.running == [isSignIn ? "sign-in" : "sign-up"])

        let stage = RidesStage(initial: try Self.restored(before.store.state))
        let store = stage.store
        let problem = Problem(
            "interrupted", "The server was restarted meanwhile. Submit the form again.")
        let error = ErrorMessage(id: "id-1", title: "Interrupted", message: problem.message)
        if isSignIn {
            store.receive(.signIn(.answered(.problem(problem)))) {
                var form = Form<Credentials>()
                form.inputsEnabled = false
                form.errors = [error]
                $0 = .running(.onboarding(.signingIn(form)))
            }
        } else {
            store.receive(.signUp(.answered(.problem(problem)))) {
                var form = Form<NewAccount>()
                form.inputsEnabled = false
                form.errors = [error]
                $0 = .running(.onboarding(.signingUp(form)))
            }
        }
        #expect(stage.logins.asked == [])
        #expect(await stage.sessions.saves == 0)
        store.restart()
    }

    @Test func `deletes a user session that was about to be deleted`() async throws {
        let before = RidesStage(ScriptedUserSessions(kept: RidesWorld.saved, deletions: 1))
        before.store.exhaustivity = .nonExhaustive
        before.store.skipReceived()
        before.store.send(.signedOut)
        let state = try Self.restored(before.store.state)
        #expect(await before.sessions.kept == RidesWorld.saved)

        let stage = RidesStage(ScriptedUserSessions(kept: RidesWorld.saved), initial: state)
        stage.store.receive(.forgotten(.value(Done()))) {
            $0 = .running(.onboarding(.welcoming(Welcome())))
        }
        #expect(await stage.sessions.kept == nil)
    }
}

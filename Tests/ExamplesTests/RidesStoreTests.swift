@testable import Rides
@testable import RidesModel
import Statecast
import StatecastTesting
import Testing

@Suite struct `Rides, step by step` {
    @Test func `signs somebody in, from the welcome page to the map`() async {
        let stage = RidesStage()
        let store = stage.store
        store.receive(.launch(.finished(.value(nil)))) {
            $0 = .running(.onboarding(.welcoming(Welcome())))
        }
        store.send(.welcome(.signInChosen)) { $0 = .running(.onboarding(.signingIn(Form()))) }
        store.send(
            .signIn(.submitted(email: " ", password: Secret("x"))), rejectedAs: "missing-field")
        store.send(RidesWorld.signIn) {
            var form = Form<Credentials>()
            form.inputsEnabled = false
            form.submission = Credentials(
                email: "rosa@example.com", password: Secret("open-sesame"))
            $0 = .running(.onboarding(.signingIn(form)))
        }
        store.send(RidesWorld.signIn, rejectedAs: "form-locked")
        #expect(stage.logins.asked == ["rosa@example.com"])
        stage.logins.succeed("rosa@example.com", with: RidesWorld.saved)
        store.receive(.signIn(.answered(.value(Admission(user: RidesWorld.user))))) {
            $0 = .running(.signedIn(SignedIn(user: RidesWorld.user)))
        }
        #expect(stage.running == ["locate"])
        stage.locations.succeed("", with: RidesWorld.here)
        store.receive(.ride(.located(.value(RidesWorld.here)))) {
            try $0.changeSignedIn { $0.ride = .requesting(RideRequest(pickup: RidesWorld.here)) }
        }
        #expect(await stage.sessions.kept == RidesWorld.saved)
        store.restart()
    }

    @Test func `shows why nobody was signed in until it is acknowledged, once`() {
        let stage = RidesStage()
        let store = stage.store
        store.skipReceived()
        store.exhaustivity = .nonExhaustive
        store.send(.welcome(.signInChosen))
        store.send(RidesWorld.signIn)
        store.exhaustivity = .exhaustive
        stage.logins.fail("rosa@example.com", with: RidesStage.Unreachable())
        store.receive(.signIn(.answered(.problem(RidesStage.problem)))) {
            var form = Form<Credentials>()
            form.inputsEnabled = false
            form.errors = [RidesStage.message("Not signed in", at: 4)]
            $0 = .running(.onboarding(.signingIn(form)))
        }
        store.send(RidesWorld.signIn, rejectedAs: "form-locked")
        store.send(.signIn(.errorAcknowledged(id: "id-4"))) {
            $0 = .running(.onboarding(.signingIn(Form())))
        }
        store.send(.signIn(.errorAcknowledged(id: "id-4")))
        store.restart()
    }

    @Test func `forgets an answer to a form that was left`() async {
        let stage = RidesStage(ignoresCancellation: true)
        let store = stage.store
        store.skipReceived()
        store.exhaustivity = .nonExhaustive
        store.send(.welcome(.signUpChosen))
        store.send(RidesWorld.signUp)
        store.exhaustivity = .exhaustive
        store.send(.onboarding(.wentBack)) {
            $0 = .running(.onboarding(.welcoming(Welcome(forgetting: true))))
        }
        store.receive(.forgotten(.value(Done()))) {
            $0 = .running(.onboarding(.welcoming(Welcome())))
        }
        #expect(stage.logins.cancelled == ["rosa@example.com"])
        stage.logins.succeed("rosa@example.com", with: RidesWorld.saved)
        store.restart()
        store.finish()
        #expect(await stage.sessions.saves == 0)
    }

    // MARK: A ride

    @Test func `searches once, exactly when typing has paused for 900 milliseconds`() throws {
        let stage = try RidesStage.waiting(for: .places)
        let store = stage.store
        #expect(stage.places.waiting == [""], "at once: nobody is typing")
        for query in ["m", "ma"] {
            store.send(.dropoff(.queryEdited(text: query))) {
                try $0.changeDropoff {
                    $0.query = query
                    $0.latestSearch = PlaceSearch(query: query, isTyped: true)
                }
            }
            store.advance(by: .milliseconds(899))
            #expect(stage.places.asked == [""])
        }
        #expect(stage.places.cancelled == [""])
        store.advance(by: .milliseconds(1))
        #expect(stage.places.asked == ["", "ma"])
        stage.places.succeed("ma", with: [RidesWorld.place])
        store.receive(.dropoff(.found(.value([RidesWorld.place])))) {
            try $0.changeDropoff {
                $0.latestSearch = nil
                $0.results = [RidesWorld.place]
            }
        }
        store.advance(by: .seconds(60))
        store.restart()
    }

    @Test func `shows the latest of two searches that are answered in reverse order`() throws {
        let stage = try RidesStage.waiting(for: .places, ignoresCancellation: true)
        let store = stage.store
        store.exhaustivity = .nonExhaustive
        store.send(.dropoff(.queryEdited(text: "ma")))
        store.advance(by: .milliseconds(900))
        #expect(stage.places.waiting == ["", "ma"])
        stage.places.succeed("ma", with: [])
        store.receive(.dropoff(.found(.value([]))))
        store.exhaustivity = .exhaustive
        stage.places.succeed("", with: [RidesWorld.place])
        store.restart()
        store.finish()
    }

    @Test func `shows the confirmation for exactly two seconds`() throws {
        let stage = try RidesStage.waiting(for: .order)
        let store = stage.store
        stage.orders.succeed("o1", with: Done())
        let option = try RidesWorld.option("o1")
        let waypoints = Waypoints(pickup: RidesWorld.here, dropoff: RidesWorld.place)
        store.receive(.ride(.ordered(.value(Done())))) {
            try $0.changeRequest {
                $0.step = .final
                $0.progress = .ready(waypoints: waypoints, option: option)
            }
        }
        store.advance(by: .milliseconds(1_999))
        #expect(store.state.screenName == "final")
        store.advance(by: .milliseconds(1))
        store.receive(.ride(.settled(.value(Done())))) {
            try $0.changeSignedIn { $0.ride = .waitingForPickup }
        }
        store.restart()
    }

    @Test func `shows the confirmation no longer once the person has seen it`() throws {
        let stage = try RidesStage.waiting(for: .order)
        let store = stage.store
        stage.orders.succeed("o1", with: Done())
        store.skipReceived()
        store.advance(by: .seconds(1))
        store.send(.ride(.finished)) { try $0.changeSignedIn { $0.ride = .waitingForPickup } }
        store.advance(by: .seconds(60))
        store.restart()
    }

    // MARK: Leaving

    @Test(arguments: RidesStage.Wait.allCases)
    func `forgets whatever comes after the person has signed out`(wait: RidesStage.Wait)
        async throws
    {
        let stage = try RidesStage.waiting(for: wait, ignoresCancellation: true)
        let store = stage.store
        #expect(stage.running == [wait.rawValue])
        store.send(.signedOut) {
            $0 = .running(.onboarding(.welcoming(Welcome(forgetting: true))))
        }
        store.receive(.forgotten(.value(Done()))) {
            $0 = .running(.onboarding(.welcoming(Welcome())))
        }
        #expect(stage.running.isEmpty)
        try stage.answer(wait)
        store.restart()
        store.finish()
        #expect(await stage.sessions.deletions == 1)
    }
}

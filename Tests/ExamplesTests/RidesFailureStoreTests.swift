@testable import Rides
@testable import RidesModel
import Statecast
import StatecastTesting
import Testing

@Suite struct `What fails in Rides, step by step` {
    @Test func `looks for the person again once the failure is acknowledged, twice or not`() throws
    {
        let stage = try RidesStage.waiting(for: .locate)
        let store = stage.store
        try stage.answer(.locate, failing: true)
        store.receive(.ride(.located(.problem(RidesStage.problem)))) {
            var locating = Attempt()
            locating.errors = [RidesStage.message("No location", at: 2)]
            try $0.changeSignedIn { $0.ride = .locating(locating) }
        }
        #expect(stage.running.isEmpty)
        store.send(.ride(.errorAcknowledged(id: "id-2"))) {
            try $0.changeSignedIn { $0.ride = .locating(Attempt()) }
        }
        store.send(.ride(.errorAcknowledged(id: "id-2")))
        #expect(stage.locations.asked.count == 2)
        store.restart()
        stage.locations.succeed("", with: RidesWorld.here)
        store.receive(.ride(.located(.value(RidesWorld.here)))) {
            try $0.changeSignedIn { $0.ride = .requesting(RideRequest(pickup: RidesWorld.here)) }
        }
    }

    @Test func `shows that a search failed, and searches again when asked to`() throws {
        let stage = try RidesStage.waiting(for: .places)
        let store = stage.store
        try stage.answer(.places, failing: true)
        store.receive(.dropoff(.found(.problem(RidesStage.problem)))) {
            try $0.changeDropoff {
                $0.latestSearch = nil
                $0.errors = [RidesStage.message("Search failed", at: 4)]
            }
        }
        store.send(.dropoff(.retried)) {
            try $0.changeDropoff {
                $0.latestSearch = PlaceSearch(query: "", isTyped: false)
                $0.errors = []
            }
        }
        #expect(stage.places.waiting == [""], "at once: nobody is typing")
        store.restart()
        stage.places.succeed("", with: [RidesWorld.place])
        store.receive(.dropoff(.found(.value([RidesWorld.place])))) {
            try $0.changeDropoff {
                $0.latestSearch = nil
                $0.results = [RidesWorld.place]
            }
        }
    }

    @Test func `shows that nothing could be offered, and acknowledges it once`() throws {
        let stage = try RidesStage.waiting(for: .options)
        let store = stage.store
        try stage.answer(.options, failing: true)
        store.receive(.option(.loaded(.problem(RidesStage.problem)))) {
            try $0.changeOptions {
                $0.loading = nil
                $0.errors = [RidesStage.message("No options", at: 6)]
            }
        }
        store.send(.option(.errorAcknowledged(id: "id-6"))) {
            try $0.changeOptions { $0.errors = [] }
        }
        store.send(.option(.errorAcknowledged(id: "id-6")))
        store.restart()
    }

    @Test func `confirms again after a failed order was acknowledged`() throws {
        let stage = try RidesStage.waiting(for: .order)
        let store = stage.store
        try stage.answer(.order, failing: true)
        let option = try RidesWorld.option("o1")
        let waypoints = Waypoints(pickup: RidesWorld.here, dropoff: RidesWorld.place)
        store.receive(.ride(.ordered(.problem(RidesStage.problem)))) {
            try $0.changeRequest {
                $0.errors = [RidesStage.message("Not ordered", at: 9)]
                $0.progress = .ready(waypoints: waypoints, option: option)
            }
            try $0.changeOptions { $0.confirming = false }
        }
        store.send(.ride(.confirmed), rejectedAs: "wrong-step")
        store.send(.ride(.errorAcknowledged(id: "id-9"))) {
            try $0.changeRequest { $0.errors = [] }
            try $0.changeOptions { $0.confirming = true }
        }
        store.send(.ride(.errorAcknowledged(id: "id-9")))
        store.send(.ride(.confirmed)) {
            try $0.changeRequest {
                $0.progress = .sending(waypoints: waypoints, option: option)
            }
        }
        #expect(stage.orders.asked == ["o1", "o1"])
        store.restart()
        #expect(stage.orders.waiting == ["o1"])
        stage.orders.succeed("o1", with: Done())
        store.receive(.ride(.ordered(.value(Done())))) {
            try $0.changeRequest {
                $0.step = .final
                $0.progress = .ready(waypoints: waypoints, option: option)
            }
        }
        store.restart()
        store.advance(by: .seconds(2))
        store.receive(.ride(.settled(.value(Done())))) {
            try $0.changeSignedIn { $0.ride = .waitingForPickup }
        }
    }
}

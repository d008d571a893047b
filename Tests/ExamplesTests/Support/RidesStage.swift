@testable import Rides
@testable import RidesModel
import Statecast
import StatecastTesting
import Testing

/// Rides on a test store, with an outside API that answers when the test says.
struct RidesStage {
    typealias Store = TestStore<RidesState, RidesAction>

    /// Whoever asks what is asked only once at a time.
    static let question = ""

    struct Unreachable: Error {}

    let logins: ManualAnswers<String, UserSession>
    let locations: ManualAnswers<String, Coordinate>
    let places: ManualAnswers<String, [Place]>
    let options: ManualAnswers<String, [RideOption]>
    let orders: ManualAnswers<String, Done>
    let sessions: ScriptedUserSessions
    let store: Store

    /// Right after launch: the saved user session was read, and what came of it waits.
    init(
        _ sessions: ScriptedUserSessions = .init(), ignoresCancellation ignores: Bool = false,
        initial state: RidesState? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        logins = ManualAnswers(ignoresCancellation: ignores)
        locations = ManualAnswers(ignoresCancellation: ignores)
        places = ManualAnswers(ignoresCancellation: ignores)
        options = ManualAnswers(ignoresCancellation: ignores)
        orders = ManualAnswers(ignoresCancellation: ignores)
        self.sessions = sessions
        let (logins, locations, places) = (logins, locations, places)
        let (options, orders) = (options, orders)
        let upstream = RidesUpstream(
            login: { email, _ in try await logins.answer(to: email) },
            signUp: { user, _ in try await logins.answer(to: user.email) },
            location: { try await locations.answer(to: Self.question) },
            places: { try await places.answer(to: $0) },
            options: { _ in try await options.answer(to: Self.question) },
            order: { try await orders.answer(to: $0.optionID) })
        store = TestStore(
            RidesApplication(upstream: upstream, userSessions: sessions.store), initial: state,
            sourceLocation: sourceLocation)
    }

    /// A place where somebody who is signed in waits for the outside API.
    enum Wait: String, CaseIterable, Sendable {
        case locate, places, options, order
    }

    /// On the way to a ride, waiting for an answer.
    static func waiting(
        for wait: Wait, ignoresCancellation: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> RidesStage {
        let stage = RidesStage(
            .init(kept: RidesWorld.saved), ignoresCancellation: ignoresCancellation,
            sourceLocation: sourceLocation)
        let store = stage.store
        store.exhaustivity = .nonExhaustive
        if wait != .locate {
            stage.locations.succeed(question, with: RidesWorld.here)
            store.send(.ride(.destinationTapped))
        }
        if [.options, .order].contains(wait) {
            stage.places.succeed("", with: [RidesWorld.place])
            store.send(.dropoff(.chosen(placeID: "p1")))
        }
        if wait == .order {
            stage.options.succeed(question, with: [try RidesWorld.option("o1")])
            store.send(.option(.chosen(optionID: "o1")))
            store.send(.ride(.confirmed))
        }
        store.skipReceived()
        store.exhaustivity = .exhaustive
        return stage
    }

    /// Lets whoever waits be answered, or not.
    func answer(_ wait: Wait, failing: Bool = false) throws {
        switch (wait, failing) {
        case (.locate, false): locations.succeed(Self.question, with: RidesWorld.here)
        case (.places, false): places.succeed("", with: [RidesWorld.place])
        case (.options, false):
            options.succeed(Self.question, with: [try RidesWorld.option("o1")])
        case (.order, false): orders.succeed("o1", with: Done())
        case (.locate, true): locations.fail(Self.question, with: Unreachable())
        case (.places, true): places.fail("", with: Unreachable())
        case (.options, true): options.fail(Self.question, with: Unreachable())
        case (.order, true): orders.fail("o1", with: Unreachable())
        }
    }

    /// The names of the works that run.
    var running: [String] {
        store.runningWork.filter { $0.stage == .running }.map(\.name)
    }

    /// An answer that made no sense.
    static let problem = Problem(
        "upstream-failed", "The service's answer made no sense. Try again.")

    /// What the person is told of an answer that made no sense, which came as this version.
    static func message(_ title: String, at version: Int) -> ErrorMessage {
        ErrorMessage(id: "id-\(version)", title: title, message: problem.message)
    }
}

extension RidesState {
    /// Changes what the person who is signed in sees.
    mutating func changeSignedIn(_ change: (inout SignedIn) throws -> Void) throws {
        guard case .running(.signedIn(var signedIn)) = self else {
            throw NotThere(name: "signedIn")
        }
        try change(&signedIn)
        self = .running(.signedIn(signedIn))
    }

    /// Changes the ride that is being put together.
    mutating func changeRequest(_ change: (inout RideRequest) throws -> Void) throws {
        try changeSignedIn { signedIn in
            guard case .requesting(var request) = signedIn.ride else {
                throw NotThere(name: "requesting")
            }
            try change(&request)
            signedIn.ride = .requesting(request)
        }
    }

    /// Changes the picker of the destination.
    mutating func changeDropoff(_ change: (inout DropoffPicker) -> Void) throws {
        try changeRequest { request in
            guard case .choosingDropoff(var picker) = request.step else {
                throw NotThere(name: "choosingDropoff")
            }
            change(&picker)
            request.step = .choosingDropoff(picker)
        }
    }

    /// Changes the picker of the vehicle.
    mutating func changeOptions(_ change: (inout OptionPicker) -> Void) throws {
        try changeRequest { request in
            guard case .choosingOption(var picker) = request.step else {
                throw NotThere(name: "choosingOption")
            }
            change(&picker)
            request.step = .choosingOption(picker)
        }
    }

    struct NotThere: Error {
        let name: String
    }
}

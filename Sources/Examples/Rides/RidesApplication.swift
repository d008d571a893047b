public import Statecast

/// Ordering a ride: launch, onboarding, picking both ends, choosing a vehicle, confirming.
public struct RidesApplication: Application {
    /// What every client of a session sees.
    public typealias State = RidesState
    /// What clients may send.
    public typealias Action = RidesAction
    /// What effects report.
    public typealias Fact = RidesFact

    /// Begins with reading the saved user session.
    public let initialState = RidesState.launching(Launching())
    let upstream: RidesUpstream
    let userSessions: SavedValues<UserSession>

    /// How long typing must pause before a search begins.
    static let searchDebounce = Duration.milliseconds(900)
    /// How long the confirmation is shown.
    static let finalDuration = Duration.seconds(2)

    /// An application that asks this outside API and keeps who is signed in there.
    public init(upstream: RidesUpstream, userSessions: SavedValues<UserSession>) {
        self.upstream = upstream
        self.userSessions = userSessions
    }

    /// What a client's action changes.
    public func reduce(_ state: inout RidesState, action: Action) throws(Rejection) {
        try state.apply(action)
    }

    /// What an effect's report changes.
    public func reduce(_ state: inout RidesState, fact: Fact) throws(Rejection) {
        state.apply(fact)
    }

    /// Which screen to show, and who is signed in: computed, so that clients need not.
    public var views: [View<RidesState>] {
        [
            View("screen") { state, _ in state.screenName },
            View("authentication") { state, _ in state.authentication },
        ]
    }

    /// Who signs in is kept, who signs out is forgotten.
    public func middleware(for session: SessionID) -> [Middleware<RidesState, Input>] {
        [persistence(for: session).middleware]
    }

    /// Deletes the person who was signed in.
    public func forget(_ session: SessionID) async throws {
        try await persistence(for: session).forget()
    }

    /// What the state waits for is under way.
    public func effects(
        starting state: RidesState, in session: SessionID
    ) -> [Effect<RidesState, Input>] {
        RidesWork.all(in: state).map { effect(for: $0, after: nil, in: session) }
    }

    /// What a step made the state wait for is begun.
    public func effects(
        after transition: Transition<RidesState, Input>, in session: SessionID
    ) -> [Effect<RidesState, Input>] {
        guard transition.changed else { return [] }
        let known = RidesWork.all(in: transition.old)
        return RidesWork.all(in: transition.new).filter { !known.contains($0) }
            .map { effect(for: $0, after: transition.action, in: session) }
    }
}

extension RidesState {
    /// The name of the screen that this state is shown on.
    public var screenName: String {
        switch self {
        case .launching: "launching"
        case .running(.onboarding(.welcoming)): "welcome"
        case .running(.onboarding(.signingIn)): "sign-in"
        case .running(.onboarding(.signingUp)): "sign-up"
        case .running(.signedIn(let signedIn)):
            switch signedIn.ride {
            case .locating: "locating"
            case .waitingForPickup: "waiting"
            case .requesting(let request):
                switch request.step {
                case .initial: "map"
                case .choosingDropoff: "dropoff"
                case .choosingOption: "option"
                case .final: "final"
                }
            }
        }
    }

    /// Whether somebody is signed in, and who.
    public var authentication: Authentication {
        if case .running(.signedIn(let signedIn)) = self {
            Authentication(isSignedIn: true, user: signedIn.user)
        } else {
            Authentication(isSignedIn: false, user: nil)
        }
    }

    /// `{"isSignedIn":true,"user":{…}}`
    public struct Authentication: Codable, Equatable, Sendable {
        /// Whether somebody is.
        public var isSignedIn: Bool
        /// Who.
        public var user: UserProfile?
    }
}

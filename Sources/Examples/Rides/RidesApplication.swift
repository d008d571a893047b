public import RidesModel
public import Statecast

/// Ordering a ride: launch, onboarding, picking both ends, choosing a vehicle, confirming.
public struct RidesApplication: Application {
    public let initialState = RidesState.launching(Attempt())
    public let rejectionCodes = [
        "error-open", "form-locked", "missing-field", "no-form", "not-launching",
        "not-signed-in", "not-signing-in", "not-signing-up", "not-welcoming", "nothing-to-retry",
        "profile-closed", "profile-open", "text-too-long", "unknown-option", "unknown-place",
        "wrong-step",
    ]
    let upstream: RidesUpstream
    let userSessions: UserSessions

    /// Typing has to pause for so long before a search begins.
    static let searchDebounce = Duration.milliseconds(900)
    /// The confirmation is shown for so long.
    static let finalDuration = Duration.seconds(2)

    /// An application that asks an outside API, and saves the person who is signed in.
    public init(upstream: RidesUpstream, userSessions: UserSessions) {
        self.upstream = upstream
        self.userSessions = userSessions
    }

    public func reduce(
        _ state: inout RidesState, _ action: RidesAction, _ step: Step
    ) throws(Rejection) {
        try state.apply(action, step)
    }

    /// The screen to show and the person who is signed in, computed so that clients need not.
    public var views: Views<RidesState> {
        Views(
            state: .all, View("screen") { state in state.screenName },
            View("authentication") { state in state.authentication })
    }

    /// The application at a path. The saved user session of a session that a client has ended is
    /// deleted.
    public func served(at path: String) -> Served {
        Served(
            path, self,
            options: SessionOptions(
                history: .always,
                forgetting: { [userSessions] session in
                    try await userSessions.delete(session.description)
                }))
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

    /// A form waits for its answer.
    var isFormBusy: Bool {
        switch self {
        case .running(.onboarding(.signingIn(let form))): form.busy
        case .running(.onboarding(.signingUp(let form))): form.busy
        default: false
        }
    }

    /// The person who is signed in, if one is.
    public var authentication: Authentication {
        if case .running(.signedIn(let signedIn)) = self {
            Authentication(isSignedIn: true, user: signedIn.user)
        } else {
            Authentication(isSignedIn: false, user: nil)
        }
    }

    /// `{"isSignedIn":true,"user":{…}}`
    public struct Authentication: StateValue {
        public var isSignedIn: Bool
        public var user: UserProfile?
    }
}

import Redux

/// The whole application, as a tree of cases in which unlawful combinations do not exist.
public enum RidesState: StateValue {
    /// The saved user session is being read.
    case launching(Attempt)
    case running(Running)

    /// The first page, without errors.
    ///
    /// - Parameter forgetting: a person has left whose user session is to be deleted.
    static func welcoming(forgetting: Bool) -> RidesState {
        .running(.onboarding(.welcoming(Welcome(forgetting: forgetting))))
    }
}

/// An attempt to find something out: it goes on until there are errors.
public struct Attempt: StateValue {
    /// The reasons why it failed.
    public var errors: [ErrorMessage] = []

    public init() {}
}

/// The time after the start: a person is signed in, or is asked to.
public enum Running: StateValue {
    case onboarding(Onboarding)
    case signedIn(SignedIn)
}

/// The pages on the way to being signed in.
public enum Onboarding: StateValue {
    case welcoming(Welcome)
    case signingIn(Form<Credentials>)
    case signingUp(Form<NewAccount>)

    /// The part that all pages have.
    public var page: any OnboardingPage {
        switch self {
        case .welcoming(let welcome): welcome
        case .signingIn(let form): form
        case .signingUp(let form): form
        }
    }
}

/// The first page for a person who is not signed in.
public struct Welcome: StateValue, OnboardingPage {
    /// Errors after signing out, for example that the user session is still saved.
    public var errors: [ErrorMessage] = []
    /// The user session is still being deleted.
    public var forgetting = false
}

/// The pages of a person who is signed in.
public struct SignedIn: StateValue {
    public var user: UserProfile
    /// The ride, from finding out where they are to waiting at the kerb.
    public var ride = Ride.locating(Attempt())
    /// True while the profile lies over everything else.
    public var viewingProfile = false
    /// Errors of the profile, for example that it could not be saved.
    public var profileErrors: [ErrorMessage] = []
}

/// The stage of the ride.
public enum Ride: StateValue {
    case locating(Attempt)
    case requesting(RideRequest)
    case waitingForPickup
}

/// A page for a person who is not signed in.
public protocol OnboardingPage {
    /// The errors that the page shows until they are acknowledged.
    var errors: [ErrorMessage] { get set }
    /// True while the user session of a person who left is being deleted.
    var forgetting: Bool { get set }
}

extension OnboardingPage {
    /// The page once the user session is deleted, or with the reason why it is not.
    func finishingForgetting(_ answer: Answer<Done>, _ step: Step) -> Self {
        guard forgetting else { return self }
        var page = self
        page.forgetting = false
        if let problem = answer.problem { page.errors.present("Not forgotten", problem, step) }
        return page
    }
}

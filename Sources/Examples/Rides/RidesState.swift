/// The whole application, as a tree of cases in which unlawful combinations do not exist.
public enum RidesState: Codable, Equatable, Sendable {
    /// The saved user session is being read.
    case launching(Launching)
    case running(Running)

    /// Nobody is signed in, and nothing went wrong.
    static var welcoming: RidesState { .running(.onboarding(.welcoming(Welcome()))) }
}

/// Before it is known whether somebody is signed in.
public struct Launching: Codable, Equatable, Sendable {
    /// Why the saved user session could not be read.
    public var errors: [ErrorMessage] = []

    /// Nothing went wrong yet.
    public init() {}
}

/// Somebody is signed in, or is asked to.
public enum Running: Codable, Equatable, Sendable {
    case onboarding(Onboarding)
    case signedIn(SignedIn)
}

/// On the way to being signed in.
public enum Onboarding: Codable, Equatable, Sendable {
    case welcoming(Welcome)
    case signingIn(Form)
    case signingUp(Form)
}

/// The first page for whoever is not signed in.
public struct Welcome: Codable, Equatable, Sendable {
    /// What went wrong after signing out, for example that the user session is still kept.
    public var errors: [ErrorMessage] = []

    /// Nothing went wrong.
    public init() {}
}

/// A form whose texts stay in the browser until they are submitted.
public struct Form: Codable, Equatable, Sendable {
    /// False from the submission until its error is acknowledged.
    public var inputsEnabled = true
    /// Whether an answer is awaited.
    public var busy = false
    /// Why the submission failed.
    public var errors: [ErrorMessage] = []

    /// An empty form.
    public init() {}

    /// The form while its answer is awaited.
    static var submitted: Form {
        var form = Form()
        form.inputsEnabled = false
        form.busy = true
        return form
    }
}

/// What a signed-in person sees.
public struct SignedIn: Codable, Equatable, Sendable {
    /// Who it is.
    public var user: UserProfile
    /// The ride, from finding out where they are to waiting at the kerb.
    public var ride = Ride.locating(Locating())
    /// Whether the profile lies over everything else.
    public var viewingProfile = false
    /// What went wrong with the profile, for example that it could not be saved.
    public var profileErrors: [ErrorMessage] = []
    /// The number of the newest request to the outside API.
    public var lastRequest = 0

    /// Right after signing in.
    public init(user: UserProfile) {
        self.user = user
    }

    /// A request number that no earlier one has.
    mutating func nextRequest() -> Int {
        lastRequest += 1
        return lastRequest
    }
}

/// How far the ride is.
public enum Ride: Codable, Equatable, Sendable {
    case locating(Locating)
    case requesting(RideRequest)
    case waitingForPickup
}

/// Finding out where the person is.
public struct Locating: Codable, Equatable, Sendable {
    /// Why that failed.
    public var errors: [ErrorMessage] = []

    /// Nothing went wrong yet.
    public init() {}
}

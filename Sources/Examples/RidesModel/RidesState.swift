import Redux

/// The whole application, as a tree of cases in which unlawful combinations do not exist.
package enum RidesState: StateValue {
    /// The saved user session is being read.
    case launching(Launching)
    case running(Running)

    /// The first page, without errors.
    ///
    /// - Parameter forgetting: a person has left whose user session is to be deleted.
    static func welcoming(forgetting: Bool) -> RidesState {
        .running(.onboarding(.welcoming(Welcome(forgetting: forgetting))))
    }
}

/// The start, until the saved user session was read.
package struct Launching: StateValue {
    /// The reasons why the saved user session could not be read.
    package var errors: [ErrorMessage] = []

    package init() {}
}

/// The time after the start: a person is signed in, or is asked to.
package enum Running: StateValue {
    case onboarding(Onboarding)
    case signedIn(SignedIn)
}

/// The pages on the way to being signed in.
package enum Onboarding: StateValue {
    case welcoming(Welcome)
    case signingIn(Form<Credentials>)
    case signingUp(Form<NewAccount>)

    /// The part that all pages have.
    package var page: any OnboardingPage {
        switch self {
        case .welcoming(let welcome): welcome
        case .signingIn(let form): form
        case .signingUp(let form): form
        }
    }
}

/// The first page for a person who is not signed in.
package struct Welcome: StateValue, OnboardingPage {
    /// Errors after signing out, for example that the user session is still saved.
    package var errors: [ErrorMessage] = []
    /// The user session is still being deleted.
    package var forgetting = false
}

/// The pages of a person who is signed in.
package struct SignedIn: StateValue {
    package var user: UserProfile
    /// The ride, from finding out where they are to waiting at the kerb.
    package var ride = Ride.locating(Locating())
    /// True while the profile lies over everything else.
    package var viewingProfile = false
    /// Errors of the profile, for example that it could not be saved.
    package var profileErrors: [ErrorMessage] = []
}

/// The stage of the ride.
package enum Ride: StateValue {
    case locating(Locating)
    case requesting(RideRequest)
    case waitingForPickup
}

/// The search for the place where the person is.
package struct Locating: StateValue {
    /// The reasons why the search failed.
    package var errors: [ErrorMessage] = []
}

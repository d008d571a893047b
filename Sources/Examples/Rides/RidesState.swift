import Statecast

/// The whole application, as a tree of cases in which unlawful combinations do not exist.
package enum RidesState: StateValue {
    /// The saved user session is being read.
    case launching(Launching)
    case running(Running)

    /// The first page, without errors.
    static var welcoming: RidesState { .running(.onboarding(.welcoming(Welcome()))) }
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
    case signingIn(Form)
    case signingUp(Form)
}

/// The first page for a person who is not signed in.
package struct Welcome: StateValue {
    /// Errors after signing out, for example that the user session is still saved.
    package var errors: [ErrorMessage] = []

    package init() {}
}

/// A form whose texts stay in the browser until they are submitted.
package struct Form: StateValue {
    /// False from the submission until its error is acknowledged.
    package var inputsEnabled = true
    /// True while the form waits for an answer.
    package var busy = false
    /// The reasons why the submission failed.
    package var errors: [ErrorMessage] = []

    package init() {}

    /// The form while its answer is awaited.
    static var submitted: Form {
        var form = Form()
        form.inputsEnabled = false
        form.busy = true
        return form
    }
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
    /// The number of the newest request to the outside API.
    package var lastRequest = 0

    package init(user: UserProfile) {
        self.user = user
    }

    /// A request number that no earlier one has.
    mutating func nextRequest() -> Int {
        lastRequest += 1
        return lastRequest
    }
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

    package init() {}
}

package import Statecast

/// The facts that the server's effects report.
package enum RidesFact: FactGroup {
    case launch(LaunchFact)
    case signIn(SignInFact)
    case signUp(SignUpFact)
    case userSession(UserSessionFact)
    case location(LocationFact)
    case dropoff(DropoffFact)
    case option(OptionFact)
    case ride(RideFact)
}

/// The facts about reading the saved user session.
package enum LaunchFact: FactGroup {
    /// The user is absent where no user session was saved.
    case finished(user: UserProfile?)
    case failed(error: ErrorText)
}

/// The facts about signing in.
package enum SignInFact: FactGroup {
    /// The token is saved with the person, and stands in no state.
    case succeeded(user: UserProfile, token: Secret<String>)
    case failed(error: ErrorText)
}

/// The facts about signing up.
package enum SignUpFact: FactGroup {
    /// The token is saved with the person, and stands in no state.
    case succeeded(user: UserProfile, token: Secret<String>)
    case failed(error: ErrorText)
}

/// The facts about saving and deleting the user session.
package enum UserSessionFact: FactGroup {
    case failed(error: ErrorText)
}

/// The facts about the search for the place where the person is.
package enum LocationFact: FactGroup {
    case found(coordinate: Coordinate)
    case failed(error: ErrorText)
}

/// The facts about the search for a destination.
package enum DropoffFact: FactGroup {
    case found(search: Int, places: [Place])
    case failed(search: Int, error: ErrorText)
}

/// The facts about the options.
package enum OptionFact: FactGroup {
    case loaded(request: Int, options: [RideOption])
    case failed(request: Int, error: ErrorText)
}

/// The facts about the request for a ride.
package enum RideFact: FactGroup {
    case accepted
    case failed(error: ErrorText)
    /// The confirmation was shown long enough.
    case settled
}

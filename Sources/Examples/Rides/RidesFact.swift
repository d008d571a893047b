package import Statecast

/// The facts that the server's effects report.
package enum RidesFact: ActionGroup, Codable, Equatable, Sendable {
    case launch(LaunchFact)
    case signIn(SignInFact)
    case signUp(SignUpFact)
    case userSession(UserSessionFact)
    case location(LocationFact)
    case dropoff(DropoffFact)
    case option(OptionFact)
    case ride(RideFact)

    enum CodingKeys: CodingKey, CaseIterable {
        case launch, signIn, signUp, userSession, location, dropoff, option, ride
    }
}

/// The facts about reading the saved user session.
package enum LaunchFact: ActionGroup, Codable, Equatable, Sendable {
    /// The user is absent where no user session was saved.
    case finished(user: UserProfile?)
    case failed(error: ErrorMessage)

    enum CodingKeys: CodingKey, CaseIterable { case finished, failed }
}

/// The facts about signing in.
package enum SignInFact: ActionGroup, Codable, Equatable, Sendable {
    /// The token is saved with the person, and stands in no state.
    case succeeded(user: UserProfile, token: Secret<String>)
    case failed(error: ErrorMessage)

    enum CodingKeys: CodingKey, CaseIterable { case succeeded, failed }
}

/// The facts about signing up.
package enum SignUpFact: ActionGroup, Codable, Equatable, Sendable {
    /// The token is saved with the person, and stands in no state.
    case succeeded(user: UserProfile, token: Secret<String>)
    case failed(error: ErrorMessage)

    enum CodingKeys: CodingKey, CaseIterable { case succeeded, failed }
}

/// The facts about saving and deleting the user session.
package enum UserSessionFact: ActionGroup, Codable, Equatable, Sendable {
    case failed(error: ErrorMessage)

    enum CodingKeys: CodingKey, CaseIterable { case failed }
}

/// The facts about the search for the place where the person is.
package enum LocationFact: ActionGroup, Codable, Equatable, Sendable {
    case found(coordinate: Coordinate)
    case failed(error: ErrorMessage)

    enum CodingKeys: CodingKey, CaseIterable { case found, failed }
}

/// The facts about the search for a destination.
package enum DropoffFact: ActionGroup, Codable, Equatable, Sendable {
    case found(search: Int, places: [Place])
    case failed(search: Int, error: ErrorMessage)

    enum CodingKeys: CodingKey, CaseIterable { case found, failed }
}

/// The facts about the options.
package enum OptionFact: ActionGroup, Codable, Equatable, Sendable {
    case loaded(request: Int, options: [RideOption])
    case failed(request: Int, error: ErrorMessage)

    enum CodingKeys: CodingKey, CaseIterable { case loaded, failed }
}

/// The facts about the request for a ride.
package enum RideFact: ActionGroup, Codable, Equatable, Sendable {
    case accepted
    case failed(error: ErrorMessage)
    /// The confirmation was shown long enough.
    case settled

    enum CodingKeys: CodingKey, CaseIterable { case accepted, failed, settled }
}

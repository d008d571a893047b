public import Statecast

/// What only the server's effects report.
public enum RidesFact: ActionGroup, Codable, Equatable, Sendable {
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

/// Of reading the saved user session.
public enum LaunchFact: ActionGroup, Codable, Equatable, Sendable {
    /// Absent, where nobody was signed in.
    case finished(user: UserProfile?)
    case failed(error: ErrorMessage)

    enum CodingKeys: CodingKey, CaseIterable { case finished, failed }
}

/// Of signing in.
public enum SignInFact: ActionGroup, Codable, Equatable, Sendable {
    /// The token is kept with the person, and in no state.
    case succeeded(user: UserProfile, token: Secret<String>)
    case failed(error: ErrorMessage)

    enum CodingKeys: CodingKey, CaseIterable { case succeeded, failed }
}

/// Of signing up.
public enum SignUpFact: ActionGroup, Codable, Equatable, Sendable {
    /// The token is kept with the person, and in no state.
    case succeeded(user: UserProfile, token: Secret<String>)
    case failed(error: ErrorMessage)

    enum CodingKeys: CodingKey, CaseIterable { case succeeded, failed }
}

/// Of saving and deleting the user session.
public enum UserSessionFact: ActionGroup, Codable, Equatable, Sendable {
    case failed(error: ErrorMessage)

    enum CodingKeys: CodingKey, CaseIterable { case failed }
}

/// Of finding out where the person is.
public enum LocationFact: ActionGroup, Codable, Equatable, Sendable {
    case found(coordinate: Coordinate)
    case failed(error: ErrorMessage)

    enum CodingKeys: CodingKey, CaseIterable { case found, failed }
}

/// Of searching for a destination.
public enum DropoffFact: ActionGroup, Codable, Equatable, Sendable {
    case found(search: Int, places: [Place])
    case failed(search: Int, error: ErrorMessage)

    enum CodingKeys: CodingKey, CaseIterable { case found, failed }
}

/// Of fetching what is offered.
public enum OptionFact: ActionGroup, Codable, Equatable, Sendable {
    case loaded(request: Int, options: [RideOption])
    case failed(request: Int, error: ErrorMessage)

    enum CodingKeys: CodingKey, CaseIterable { case loaded, failed }
}

/// Of the request for a ride.
public enum RideFact: ActionGroup, Codable, Equatable, Sendable {
    case accepted
    case failed(error: ErrorMessage)
    /// The confirmation was shown long enough.
    case settled

    enum CodingKeys: CodingKey, CaseIterable { case accepted, failed, settled }
}

public import Statecast

/// What clients may send.
public enum RidesAction: ActionGroup, Codable, Sendable {
    case launch(LaunchAction)
    case welcome(WelcomeAction)
    case onboarding(OnboardingAction)
    case signIn(SignInAction)
    case signUp(SignUpAction)
    case profile(ProfileAction)
    case signedOut
    case ride(RideAction)
    case dropoff(DropoffAction)
    case option(OptionAction)

    enum CodingKeys: CodingKey, CaseIterable {
        case launch, welcome, onboarding, signIn, signUp, profile, signedOut, ride, dropoff, option
    }
}

/// While the saved user session is read.
public enum LaunchAction: ActionGroup, Codable, Sendable {
    case errorAcknowledged(id: String)
    case retried

    enum CodingKeys: CodingKey, CaseIterable { case errorAcknowledged, retried }
}

/// On the first page.
public enum WelcomeAction: ActionGroup, Codable, Sendable {
    case signInChosen
    case signUpChosen
    case errorAcknowledged(id: String)

    enum CodingKeys: CodingKey, CaseIterable { case signInChosen, signUpChosen, errorAcknowledged }
}

/// On either form.
public enum OnboardingAction: ActionGroup, Codable, Sendable {
    case wentBack

    enum CodingKeys: CodingKey, CaseIterable { case wentBack }
}

/// On the form for people who are known.
public enum SignInAction: ActionGroup, Codable, Sendable {
    case submitted(email: String, password: Secret<String>)
    case errorAcknowledged(id: String)

    enum CodingKeys: CodingKey, CaseIterable { case submitted, errorAcknowledged }
}

/// On the form for new people.
public enum SignUpAction: ActionGroup, Codable, Sendable {
    case submitted(
        fullName: String, nickname: String, email: String, mobileNumber: String,
        password: Secret<String>)
    case errorAcknowledged(id: String)

    enum CodingKeys: CodingKey, CaseIterable { case submitted, errorAcknowledged }
}

/// On the profile that lies over everything else.
public enum ProfileAction: ActionGroup, Codable, Sendable {
    case opened
    case closed
    case errorAcknowledged(id: String)

    enum CodingKeys: CodingKey, CaseIterable { case opened, closed, errorAcknowledged }
}

/// On the ride as a whole.
public enum RideAction: ActionGroup, Codable, Sendable {
    case destinationTapped
    case destinationCancelled
    case confirmed
    case finished
    case startedAgain
    case errorAcknowledged(id: String)
    case retried

    enum CodingKeys: CodingKey, CaseIterable {
        case destinationTapped, destinationCancelled, confirmed, finished, startedAgain
        case errorAcknowledged, retried
    }
}

/// On the picker of the destination.
public enum DropoffAction: ActionGroup, Codable, Sendable {
    case queryEdited(text: String)
    case chosen(placeID: String)
    case errorAcknowledged(id: String)
    case retried

    enum CodingKeys: CodingKey, CaseIterable {
        case queryEdited, chosen, errorAcknowledged, retried
    }
}

/// On the picker of the vehicle.
public enum OptionAction: ActionGroup, Codable, Sendable {
    case chosen(optionID: String)
    case errorAcknowledged(id: String)
    case retried

    enum CodingKeys: CodingKey, CaseIterable { case chosen, errorAcknowledged, retried }
}

package import Statecast

/// The actions that clients send.
package enum RidesAction: ActionGroup, Codable, Sendable {
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

/// The actions while the saved user session is read.
package enum LaunchAction: ActionGroup, Codable, Sendable {
    case errorAcknowledged(id: String)
    case retried

    enum CodingKeys: CodingKey, CaseIterable { case errorAcknowledged, retried }
}

/// The actions on the first page.
package enum WelcomeAction: ActionGroup, Codable, Sendable {
    case signInChosen
    case signUpChosen
    case errorAcknowledged(id: String)

    enum CodingKeys: CodingKey, CaseIterable { case signInChosen, signUpChosen, errorAcknowledged }
}

/// The actions on either form.
package enum OnboardingAction: ActionGroup, Codable, Sendable {
    case wentBack

    enum CodingKeys: CodingKey, CaseIterable { case wentBack }
}

/// The actions on the form for people who have an account.
package enum SignInAction: ActionGroup, Codable, Sendable {
    case submitted(email: String, password: Secret<String>)
    case errorAcknowledged(id: String)

    enum CodingKeys: CodingKey, CaseIterable { case submitted, errorAcknowledged }
}

/// The actions on the form for new people.
package enum SignUpAction: ActionGroup, Codable, Sendable {
    case submitted(
        fullName: String, nickname: String, email: String, mobileNumber: String,
        password: Secret<String>)
    case errorAcknowledged(id: String)

    enum CodingKeys: CodingKey, CaseIterable { case submitted, errorAcknowledged }
}

/// The actions on the profile that lies over everything else.
package enum ProfileAction: ActionGroup, Codable, Sendable {
    case opened
    case closed
    case errorAcknowledged(id: String)

    enum CodingKeys: CodingKey, CaseIterable { case opened, closed, errorAcknowledged }
}

/// The actions on the ride as a whole.
package enum RideAction: ActionGroup, Codable, Sendable {
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

/// The actions on the picker of the destination.
package enum DropoffAction: ActionGroup, Codable, Sendable {
    case queryEdited(text: String)
    case chosen(placeID: String)
    case errorAcknowledged(id: String)
    case retried

    enum CodingKeys: CodingKey, CaseIterable {
        case queryEdited, chosen, errorAcknowledged, retried
    }
}

/// The actions on the picker of the vehicle.
package enum OptionAction: ActionGroup, Codable, Sendable {
    case chosen(optionID: String)
    case errorAcknowledged(id: String)
    case retried

    enum CodingKeys: CodingKey, CaseIterable { case chosen, errorAcknowledged, retried }
}

package import Statecast

/// All that can happen: actions that clients send, and facts that the server's effects report.
package enum RidesAction: ActionGroup {
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
    case fact(RidesFact)
}

/// The actions while the saved user session is read.
package enum LaunchAction: ActionGroup {
    case errorAcknowledged(id: String)
    case retried
}

/// The actions on the first page.
package enum WelcomeAction: ActionGroup {
    case signInChosen
    case signUpChosen
    case errorAcknowledged(id: String)
}

/// The actions on either form.
package enum OnboardingAction: ActionGroup {
    case wentBack
}

/// The actions on the form for people who have an account.
package enum SignInAction: ActionGroup {
    case submitted(email: String, password: Secret<String>)
    case errorAcknowledged(id: String)
}

/// The actions on the form for new people.
package enum SignUpAction: ActionGroup {
    case submitted(
        fullName: String, nickname: String, email: String, mobileNumber: String,
        password: Secret<String>)
    case errorAcknowledged(id: String)
}

/// The actions on the profile that lies over everything else.
package enum ProfileAction: ActionGroup {
    case opened
    case closed
    case errorAcknowledged(id: String)
}

/// The actions on the ride as a whole.
package enum RideAction: ActionGroup {
    case destinationTapped
    case destinationCancelled
    case confirmed
    case finished
    case startedAgain
    case errorAcknowledged(id: String)
    case retried
}

/// The actions on the picker of the destination.
package enum DropoffAction: ActionGroup {
    case queryEdited(text: String)
    case chosen(placeID: String)
    case errorAcknowledged(id: String)
    case retried
}

/// The actions on the picker of the vehicle.
package enum OptionAction: ActionGroup {
    case chosen(optionID: String)
    case errorAcknowledged(id: String)
    case retried
}

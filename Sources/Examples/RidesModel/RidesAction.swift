public import Redux

/// All that can happen: actions that clients send, and answers to the state's work.
public enum RidesAction: ActionGroup {
    case launch(LaunchAction)
    case welcome(WelcomeAction)
    case onboarding(OnboardingAction)
    case signIn(SignInAction)
    case signUp(SignUpAction)
    case profile(ProfileAction)
    case signedOut
    /// The user session of a person who left was deleted, or not.
    case forgotten(Answer<Done>)
    case ride(RideAction)
    case dropoff(DropoffAction)
    case option(OptionAction)
}

/// The actions while the saved user session is read.
public enum LaunchAction: ActionGroup {
    case errorAcknowledged(id: String)
    case retried
    /// The user is absent where no user session was saved.
    case finished(Answer<UserProfile?>)
}

/// The actions on the first page.
public enum WelcomeAction: ActionGroup {
    case signInChosen
    case signUpChosen
    case errorAcknowledged(id: String)
}

/// The actions on either form.
public enum OnboardingAction: ActionGroup {
    case wentBack
}

/// The actions on the form for people who have an account.
public enum SignInAction: ActionGroup {
    case submitted(email: String, password: Secret<String>)
    case errorAcknowledged(id: String)
    case answered(Answer<Admission>)
}

/// The actions on the form for new people.
public enum SignUpAction: ActionGroup {
    case submitted(
        fullName: String, nickname: String, email: String, mobileNumber: String,
        password: Secret<String>)
    case errorAcknowledged(id: String)
    case answered(Answer<Admission>)
}

/// The actions on the profile that lies over everything else.
public enum ProfileAction: ActionGroup {
    case opened
    case closed
    case errorAcknowledged(id: String)
}

/// The actions on the ride as a whole.
public enum RideAction: ActionGroup {
    case destinationTapped
    case destinationCancelled
    case confirmed
    case finished
    case startedAgain
    case errorAcknowledged(id: String)
    case retried
    /// The place where the person is was found, or not.
    case located(Answer<Coordinate>)
    /// The outside API has taken the order, or not.
    case ordered(Answer<Done>)
    /// The confirmation was shown long enough.
    case settled(Answer<Done>)
}

/// The actions on the picker of the destination.
public enum DropoffAction: ActionGroup {
    case queryEdited(text: String)
    case chosen(placeID: String)
    case errorAcknowledged(id: String)
    case retried
    case found(Answer<[Place]>)
}

/// The actions on the picker of the vehicle.
public enum OptionAction: ActionGroup {
    case chosen(optionID: String)
    case errorAcknowledged(id: String)
    case retried
    case loaded(Answer<[RideOption]>)
}

extension RidesAction {
    /// True for acknowledgements and answers: where they come late, they change nothing.
    var mayBeLate: Bool {
        switch self {
        case .launch(.errorAcknowledged), .launch(.finished), .welcome(.errorAcknowledged),
            .signIn(.errorAcknowledged), .signIn(.answered), .signUp(.errorAcknowledged),
            .signUp(.answered), .forgotten, .profile(.errorAcknowledged),
            .ride(.errorAcknowledged), .ride(.located), .ride(.ordered), .ride(.settled),
            .dropoff(.errorAcknowledged), .dropoff(.found), .option(.errorAcknowledged),
            .option(.loaded):
            true
        default: false
        }
    }
}

package import Redux

/// Limits that keep the state small, however much clients and the outside API send.
package enum RidesLimits {
    static let textByteCount = 256
    package static let places = 100
    package static let options = 20
}

extension RidesState {
    /// Changes the state by an action; rejects a client's that has no meaning now, with 409.
    package mutating func apply(_ action: RidesAction, _ step: Step) throws(Rejection) {
        switch action {
        case .launch(let action): try apply(action, step)
        case .welcome(let action): try apply(action)
        case .onboarding(.wentBack): try goBack()
        case .signIn(let action): try apply(action, step)
        case .signUp(let action): try apply(action, step)
        case .signedOut:
            guard case .running(.signedIn) = self else { throw .nobodyIsSignedIn }
            self = .welcoming(forgetting: true)
        case .forgotten(let answer): finishForgetting(answer, step)
        case .profile(let action):
            try updateSignedIn(unless: action.mayBeLate) { signedIn throws(Rejection) in
                try signedIn.apply(action)
            }
        case .ride(let action):
            try updateSignedIn(unless: action.mayBeLate) { signedIn throws(Rejection) in
                try signedIn.apply(action, step)
            }
        case .dropoff(let action):
            try updateSignedIn(unless: action.mayBeLate) { signedIn throws(Rejection) in
                try signedIn.apply(action, step)
            }
        case .option(let action):
            try updateSignedIn(unless: action.mayBeLate) { signedIn throws(Rejection) in
                try signedIn.apply(action, step)
            }
        }
    }

    private mutating func apply(_ action: LaunchAction, _ step: Step) throws(Rejection) {
        guard case .launching(var launching) = self else {
            if action.mayBeLate { return }
            throw .outOfOrder("not-launching", "The start is over.")
        }
        switch action {
        case .errorAcknowledged(let id):
            guard !launching.errors.isEmpty else { return }
            launching.errors.acknowledge(id)
            self =
                launching.errors.isEmpty ? .welcoming(forgetting: false) : .launching(launching)
        case .retried:
            guard !launching.errors.isEmpty else { throw .nothingToRetry }
            self = .launching(Launching())
        case .finished(.value(.some(let user))): self = .running(.signedIn(SignedIn(user: user)))
        case .finished(.value(.none)): self = .welcoming(forgetting: false)
        case .finished(.problem(let problem)):
            launching.errors.present("Cannot read", problem, step)
            self = .launching(launching)
        }
    }

    private mutating func apply(_ action: WelcomeAction) throws(Rejection) {
        guard case .running(.onboarding(.welcoming(var welcome))) = self else {
            if case .errorAcknowledged = action { return }
            throw .outOfOrder("not-welcoming", "The welcome page is not shown.")
        }
        if case .errorAcknowledged(let id) = action {
            welcome.errors.acknowledge(id)
            self = .running(.onboarding(.welcoming(welcome)))
            return
        }
        guard welcome.errors.isEmpty else { throw .errorOpen }
        switch action {
        case .errorAcknowledged: return
        case .signInChosen:
            self = .running(.onboarding(.signingIn(Form(forgetting: welcome.forgetting))))
        case .signUpChosen:
            self = .running(.onboarding(.signingUp(Form(forgetting: welcome.forgetting))))
        }
    }

    /// Leaves a form. A person who waited for its answer may have been saved already.
    private mutating func goBack() throws(Rejection) {
        switch self {
        case .running(.onboarding(.signingIn(let form))):
            self = .welcoming(forgetting: form.forgetting || form.busy)
        case .running(.onboarding(.signingUp(let form))):
            self = .welcoming(forgetting: form.forgetting || form.busy)
        default:
            throw .outOfOrder("no-form", "There is no form to go back from.")
        }
    }

    private mutating func apply(_ action: SignInAction, _ step: Step) throws(Rejection) {
        guard case .running(.onboarding(.signingIn(var form))) = self else {
            if action.mayBeLate { return }
            throw .outOfOrder("not-signing-in", "The form to sign in is not shown.")
        }
        var signedIn: SignedIn?
        switch action {
        case .submitted(let email, let password):
            try form.submit(
                Credentials(email: email, password: password),
                [("email", email), ("password", password.value)])
        case .errorAcknowledged(let id): form.acknowledge(id)
        case .answered(let answer): signedIn = form.finish(answer, step)
        }
        self = .running(signedIn.map { .signedIn($0) } ?? .onboarding(.signingIn(form)))
    }

    private mutating func apply(_ action: SignUpAction, _ step: Step) throws(Rejection) {
        guard case .running(.onboarding(.signingUp(var form))) = self else {
            if action.mayBeLate { return }
            throw .outOfOrder("not-signing-up", "The form to sign up is not shown.")
        }
        var signedIn: SignedIn?
        switch action {
        case .submitted(let fullName, let nickname, let email, let mobileNumber, let password):
            let user = UserProfile(
                fullName: fullName, nickname: nickname, email: email, mobileNumber: mobileNumber)
            try form.submit(
                NewAccount(user: user, password: password),
                [
                    ("full name", fullName), ("nickname", nickname), ("email", email),
                    ("mobile number", mobileNumber), ("password", password.value),
                ])
        case .errorAcknowledged(let id): form.acknowledge(id)
        case .answered(let answer): signedIn = form.finish(answer, step)
        }
        self = .running(signedIn.map { .signedIn($0) } ?? .onboarding(.signingUp(form)))
    }

    /// Shows on whatever page that the user session could not be deleted.
    private mutating func finishForgetting(_ answer: Answer<Done>, _ step: Step) {
        switch self {
        case .running(.onboarding(.welcoming(var welcome))):
            welcome.finishForgetting(answer, step)
            self = .running(.onboarding(.welcoming(welcome)))
        case .running(.onboarding(.signingIn(var form))):
            form.finishForgetting(answer, step)
            self = .running(.onboarding(.signingIn(form)))
        case .running(.onboarding(.signingUp(var form))):
            form.finishForgetting(answer, step)
            self = .running(.onboarding(.signingUp(form)))
        case .launching, .running(.signedIn): return
        }
    }

    /// Changes the pages of a signed-in person. Where no person is signed in, a late acknowledgement
    /// or answer changes nothing, and any other action is rejected.
    private mutating func updateSignedIn(
        unless isLate: Bool, _ change: (inout SignedIn) throws(Rejection) -> Void
    ) throws(Rejection) {
        guard case .running(.signedIn(var signedIn)) = self else {
            if isLate { return }
            throw .nobodyIsSignedIn
        }
        try change(&signedIn)
        self = .running(.signedIn(signedIn))
    }
}

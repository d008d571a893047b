public import Redux

extension RidesState {
    // Limits that keep the state small, however much clients and the outside API send.
    static let textByteLimit = 256
    public static let placeLimit = 100
    public static let optionLimit = 20

    /// Changes the state by an action; rejects a client's that has no meaning now, with 409.
    public mutating func apply(_ action: RidesAction, _ step: Step) throws(Rejection) {
        do throws(Rejection) {
            try change(by: action, step)
        } catch {
            guard action.mayBeLate else { throw error }
        }
    }

    private mutating func change(by action: RidesAction, _ step: Step) throws(Rejection) {
        switch action {
        case .launch(let action): try apply(action, step)
        case .welcome(let action): try apply(action)
        case .onboarding(.wentBack): try goBack()
        case .signIn(let action): try apply(action, step)
        case .signUp(let action): try apply(action, step)
        case .forgotten(let answer): finishForgetting(answer, step)
        case .signedOut, .profile, .ride, .dropoff, .option:
            guard case .running(.signedIn(var signedIn)) = self else { throw .nobodyIsSignedIn }
            if case .signedOut = action { return self = .welcoming(forgetting: true) }
            try signedIn.apply(action, step)
            self = .running(.signedIn(signedIn))
        }
    }

    private mutating func apply(_ action: LaunchAction, _ step: Step) throws(Rejection) {
        guard case .launching(var launching) = self else {
            throw .outOfOrder("not-launching", "The start is over.")
        }
        switch action {
        case .errorAcknowledged(let id):
            guard !launching.errors.isEmpty else { return }
            launching.errors.acknowledge(id)
            self = launching.errors.isEmpty ? .welcoming(forgetting: false) : .launching(launching)
        case .retried:
            guard !launching.errors.isEmpty else { throw .nothingToRetry }
            self = .launching(Attempt())
        case .finished(.value(.some(let user))): self = .running(.signedIn(SignedIn(user: user)))
        case .finished(.value(.none)): self = .welcoming(forgetting: false)
        case .finished(.problem(let problem)):
            launching.errors.present("Cannot read", problem, step)
            self = .launching(launching)
        }
    }

    private mutating func apply(_ action: WelcomeAction) throws(Rejection) {
        guard case .running(.onboarding(.welcoming(var welcome))) = self else {
            throw .outOfOrder("not-welcoming", "The welcome page is not shown.")
        }
        switch action {
        case .errorAcknowledged(let id):
            welcome.errors.acknowledge(id)
            self = .running(.onboarding(.welcoming(welcome)))
        case .signInChosen:
            guard welcome.errors.isEmpty else { throw .errorOpen }
            self = .running(.onboarding(.signingIn(Form(forgetting: welcome.forgetting))))
        case .signUpChosen:
            guard welcome.errors.isEmpty else { throw .errorOpen }
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
        default: throw .outOfOrder("no-form", "There is no form to go back from.")
        }
    }

    private mutating func apply(_ action: SignInAction, _ step: Step) throws(Rejection) {
        guard case .running(.onboarding(.signingIn(var form))) = self else {
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
                    ("fullName", fullName), ("nickname", nickname), ("email", email),
                    ("mobileNumber", mobileNumber), ("password", password.value),
                ])
        case .errorAcknowledged(let id): form.acknowledge(id)
        case .answered(let answer): signedIn = form.finish(answer, step)
        }
        self = .running(signedIn.map { .signedIn($0) } ?? .onboarding(.signingUp(form)))
    }

    /// Shows on whatever page that the user session could not be deleted.
    private mutating func finishForgetting(_ answer: Answer<Done>, _ step: Step) {
        guard case .running(.onboarding(let onboarding)) = self else { return }
        let next: Onboarding =
            switch onboarding {
            case .welcoming(let page): .welcoming(page.finishingForgetting(answer, step))
            case .signingIn(let page): .signingIn(page.finishingForgetting(answer, step))
            case .signingUp(let page): .signingUp(page.finishingForgetting(answer, step))
            }
        self = .running(.onboarding(next))
    }
}

extension Rejection {
    static func outOfOrder(_ code: String, _ message: String) -> Rejection {
        Rejection(code, message, kind: .conflict)
    }

    static let errorOpen = outOfOrder("error-open", "An error waits to be acknowledged.")
    static let nobodyIsSignedIn = outOfOrder("not-signed-in", "Nobody is signed in.")
    static let nothingToRetry = outOfOrder(
        "nothing-to-retry", "Nothing failed that could be tried again.")
    static let wrongStep = outOfOrder(
        "wrong-step", "The ride is not at the step where that can be done.")
}

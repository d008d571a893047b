import Statecast

/// Limits that keep the state small, however much clients and the outside API send.
enum RidesLimits {
    static let textByteCount = 256
    static let places = 100
    static let options = 20
}

extension RidesState {
    /// Changes the state by an action; rejects a client's that has no meaning now, with 409.
    mutating func apply(_ action: RidesAction, _ step: Step) throws(Rejection) {
        switch action {
        case .launch(let action): try apply(action)
        case .welcome(let action): try apply(action)
        case .onboarding(.wentBack): try goBack()
        case .signIn(let action): try apply(action)
        case .signUp(let action): try apply(action)
        case .signedOut:
            guard case .running(.signedIn) = self else { throw .nobodyIsSignedIn }
            self = .welcoming
        case .profile(let action):
            try updateSignedIn(unless: action.acknowledged) { signedIn throws(Rejection) in
                try signedIn.apply(action)
            }
        case .ride(let action):
            try updateSignedIn(unless: action.acknowledged) { signedIn throws(Rejection) in
                try signedIn.apply(action)
            }
        case .dropoff(let action):
            try updateSignedIn(unless: action.acknowledged) { signedIn throws(Rejection) in
                try signedIn.apply(action)
            }
        case .option(let action):
            try updateSignedIn(unless: action.acknowledged) { signedIn throws(Rejection) in
                try signedIn.apply(action)
            }
        case .fact(let fact): apply(fact, step)
        }
    }

    private mutating func apply(_ action: LaunchAction) throws(Rejection) {
        guard case .launching(var launching) = self else {
            if case .errorAcknowledged = action { return }
            throw .outOfOrder("not-launching", "The start is over.")
        }
        guard !launching.errors.isEmpty else {
            if case .errorAcknowledged = action { return }
            throw .nothingToRetry
        }
        switch action {
        case .errorAcknowledged(let id):
            launching.errors.acknowledge(id)
            self = launching.errors.isEmpty ? .welcoming : .launching(launching)
        case .retried:
            self = .launching(Launching())
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
        case .signInChosen: self = .running(.onboarding(.signingIn(Form())))
        case .signUpChosen: self = .running(.onboarding(.signingUp(Form())))
        }
    }

    private mutating func goBack() throws(Rejection) {
        switch self {
        case .running(.onboarding(.signingIn)), .running(.onboarding(.signingUp)):
            self = .welcoming
        default:
            throw .outOfOrder("no-form", "There is no form to go back from.")
        }
    }

    private mutating func apply(_ action: SignInAction) throws(Rejection) {
        guard case .running(.onboarding(.signingIn(var form))) = self else {
            if case .errorAcknowledged = action { return }
            throw .outOfOrder("not-signing-in", "The form to sign in is not shown.")
        }
        switch action {
        case .submitted(let email, let password):
            try form.submit([("email", email), ("password", password.value)])
        case .errorAcknowledged(let id):
            form.acknowledge(id)
        }
        self = .running(.onboarding(.signingIn(form)))
    }

    private mutating func apply(_ action: SignUpAction) throws(Rejection) {
        guard case .running(.onboarding(.signingUp(var form))) = self else {
            if case .errorAcknowledged = action { return }
            throw .outOfOrder("not-signing-up", "The form to sign up is not shown.")
        }
        switch action {
        case .submitted(let fullName, let nickname, let email, let mobileNumber, let password):
            try form.submit([
                ("full name", fullName), ("nickname", nickname), ("email", email),
                ("mobile number", mobileNumber), ("password", password.value),
            ])
        case .errorAcknowledged(let id):
            form.acknowledge(id)
        }
        self = .running(.onboarding(.signingUp(form)))
    }

    /// Changes the pages of a signed-in person. Where no person is signed in, a late acknowledgement
    /// changes nothing, and any other action is rejected.
    private mutating func updateSignedIn(
        unless acknowledged: Bool, _ change: (inout SignedIn) throws(Rejection) -> Void
    ) throws(Rejection) {
        guard case .running(.signedIn(var signedIn)) = self else {
            if acknowledged { return }
            throw .nobodyIsSignedIn
        }
        try change(&signedIn)
        self = .running(.signedIn(signedIn))
    }
}

extension Form {
    /// Locks the form until its answer.
    mutating func submit(_ fields: [(name: String, text: String)]) throws(Rejection) {
        guard inputsEnabled, !busy, errors.isEmpty else {
            throw .outOfOrder("form-locked", "The form waits for an answer or an acknowledgement.")
        }
        for field in fields {
            // The length first: looking for a character takes time with a long text.
            guard field.text.utf8.count <= RidesLimits.textByteCount else {
                throw Rejection("text-too-long", "The \(field.name) is too long.")
            }
            guard !field.text.allSatisfy(\.isWhitespace) else {
                throw Rejection("missing-field", "The \(field.name) is missing.")
            }
        }
        self = .submitted
    }

    /// Takes an error away; the last one unlocks the form.
    mutating func acknowledge(_ id: String) {
        errors.acknowledge(id)
        if errors.isEmpty, !busy { inputsEnabled = true }
    }

    /// Shows the error of a refused form, and locks the form until the error is acknowledged.
    mutating func fail(_ error: ErrorText, _ step: Step) {
        busy = false
        inputsEnabled = false
        errors.present(error, step)
    }
}

extension Rejection {
    static func outOfOrder(_ code: String, _ message: String) -> Rejection {
        Rejection(code, message, kind: .conflict)
    }

    static var errorOpen: Rejection {
        outOfOrder("error-open", "An error waits to be acknowledged.")
    }

    static var nobodyIsSignedIn: Rejection { outOfOrder("not-signed-in", "Nobody is signed in.") }

    static var nothingToRetry: Rejection {
        outOfOrder("nothing-to-retry", "Nothing failed that could be tried again.")
    }
}

extension ProfileAction {
    /// True for an acknowledgement, which is lawful at any time.
    var acknowledged: Bool { if case .errorAcknowledged = self { true } else { false } }
}

extension RideAction {
    /// True for an acknowledgement, which is lawful at any time.
    var acknowledged: Bool { if case .errorAcknowledged = self { true } else { false } }
}

extension DropoffAction {
    /// True for an acknowledgement, which is lawful at any time.
    var acknowledged: Bool { if case .errorAcknowledged = self { true } else { false } }
}

extension OptionAction {
    /// True for an acknowledgement, which is lawful at any time.
    var acknowledged: Bool { if case .errorAcknowledged = self { true } else { false } }
}

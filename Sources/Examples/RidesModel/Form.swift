public import Redux

/// A form whose texts stay in the browser until they are submitted.
public struct Form<Texts: StateValue>: StateValue, OnboardingPage {
    /// False from the submission until its error is acknowledged.
    public var inputsEnabled = true
    /// True while the form waits for an answer.
    public private(set) var busy = false
    /// The texts that were submitted, until the answer comes.
    public var submission: Texts? { didSet { busy = submission != nil } }
    /// The reasons why the submission failed.
    public var errors: [ErrorMessage] = []
    /// The user session is still being deleted.
    public var forgetting = false

    /// Locks the form until its answer.
    mutating func submit(
        _ texts: Texts, _ fields: [(key: String, text: String)]
    ) throws(Rejection) {
        guard inputsEnabled, !busy, errors.isEmpty else {
            throw .outOfOrder("form-locked", "The form waits for an answer or an acknowledgement.")
        }
        for field in fields {
            // The length first: looking for a character takes time with a long text.
            guard field.text.utf8.count <= RidesState.textByteLimit else {
                throw Rejection("text-too-long", "This text is too long.", field: field.key)
            }
            guard !field.text.allSatisfy(\.isWhitespace) else {
                throw Rejection("missing-field", "This field is empty.", field: field.key)
            }
        }
        inputsEnabled = false
        submission = texts
    }

    /// Takes an error away; the last one unlocks the form.
    mutating func acknowledge(_ id: String) {
        errors.acknowledge(id)
        if errors.isEmpty, !busy { inputsEnabled = true }
    }

    /// Ends the submission, and forgets what was submitted.
    ///
    /// Returns the pages of the person who was let in; errors that were not acknowledged move along.
    /// Where they were not let in, the form shows why, and is locked until that is acknowledged.
    mutating func finish(_ answer: Answer<Admission>, _ step: Step) -> SignedIn? {
        guard busy else { return nil }
        submission = nil
        switch answer {
        case .value(let admission):
            var signedIn = SignedIn(user: admission.user)
            signedIn.profileErrors = errors
            if let problem = admission.problem {
                signedIn.profileErrors.present("Not kept", problem, step)
            }
            return signedIn
        case .problem(let problem):
            let isInterrupted = problem.code == Problem.interrupted.code
            errors.present(isInterrupted ? "Interrupted" : "Not signed in", problem, step)
            return nil
        }
    }
}

extension Problem {
    /// The password of a form is gone, after a restart.
    public static let interrupted = Problem(
        "interrupted", "The server was restarted meanwhile. Submit the form again.")
}

/// The texts of the form for people who have an account.
public struct Credentials: StateValue {
    public var email: String
    /// Stands in the state only while it is being sent, and in no text that is made of the state.
    public var password: Secret<String>
}

/// The texts of the form for new people.
public struct NewAccount: StateValue {
    public var user: UserProfile
    /// Stands in the state only while it is being sent, and in no text that is made of the state.
    public var password: Secret<String>
}

/// The answer to a form: a person who was let in.
public struct Admission: StateValue {
    public var user: UserProfile
    /// The reason why they are not kept for the next launch, if they are not.
    public var problem: Problem?

    public init(user: UserProfile, problem: Problem? = nil) {
        self.user = user
        self.problem = problem
    }
}

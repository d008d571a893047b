import Statecast

extension RidesApplication {
    /// The user session outlives the session: it is loaded at launch, saved on sign-in, deleted on
    /// sign-out. A failure of any of these is an error to acknowledge.
    func persistence(
        for session: SessionID
    ) -> Persistence<RidesState, RidesAction, UserSession> {
        Persistence(
            "user-session", in: userSessions, key: session.description, retries: 2,
            change: Self.change,
            loaded: { .fact(.launch(.finished(user: $0?.user))) },
            failed: { failure, _ in
                switch failure.operation {
                case .load:
                    let message = "Nobody knows whether you were signed in. Sign in again."
                    return .fact(.launch(.failed(error: ErrorText("Cannot read", message))))
                case .save:
                    let message = "You will have to sign in again next time."
                    return .fact(.userSession(.failed(error: ErrorText("Not kept", message))))
                case .delete:
                    let message =
                        "The server still keeps who you were. Sign in and out again to be sure."
                    return .fact(.userSession(.failed(error: ErrorText("Not forgotten", message))))
                }
            })
    }

    /// The token comes with the fact and is in no state, so it is taken from there.
    private static func change(
        _ transition: Transition<RidesState, RidesAction>
    ) -> Persistence<RidesState, RidesAction, UserSession>.Change? {
        switch (transition.old, transition.new) {
        case (.running(.onboarding), .running(.signedIn)):
            switch transition.action {
            case .fact(.signIn(.succeeded(let user, let token))),
                .fact(.signUp(.succeeded(let user, let token))):
                .save(UserSession(user: user, token: token))
            default: nil
            }
        case (.running(.signedIn), .running(.onboarding)): .delete
        default: nil
        }
    }
}

import OutsideAPI
import Statecast

/// A piece of work outside of the state, and the error that a person sees where it fails.
struct RidesAttempt {
    typealias Context = EffectContext<RidesAction>

    /// Does the work and reports its result.
    let operation: @Sendable (Context) async throws -> Void
    /// The title of the error that the person acknowledges.
    let title: String
    /// The text of that error: a sentence on what can be done.
    var message: @Sendable (any Error) -> String = { UpstreamError.message(for: $0) }
    /// The fact that reports the error.
    let failed: @Sendable (ErrorText) -> RidesFact

    /// Reports a failure of the operation.
    @Sendable func report(_ error: any Error, _ context: Context) {
        context.send(.fact(failed(ErrorText(title, message(error)))))
    }
}

extension RidesAttempt {
    /// The password of a form is gone, after a restart.
    private struct PasswordLost: Error {}

    /// An attempt of a form that waits, but whose password is gone.
    static func lost(
        _ failed: @escaping @Sendable (ErrorText) -> RidesFact
    ) -> RidesAttempt {
        RidesAttempt(
            operation: { _ in throw PasswordLost() }, title: "Interrupted",
            message: { _ in "The server was restarted meanwhile. Submit the form again." },
            failed: failed)
    }

    static func authentication(
        _ failed: @escaping @Sendable (ErrorText) -> RidesFact,
        _ operation: @escaping @Sendable (Context) async throws -> Void
    ) -> RidesAttempt {
        RidesAttempt(
            operation: operation, title: "Not signed in",
            message: { error in
                switch (error as? UpstreamError)?.status {
                case 401: "The e-mail address or the password is wrong."
                case 409: "This e-mail address has an account already."
                default: UpstreamError.message(for: error)
                }
            }, failed: failed)
    }
}

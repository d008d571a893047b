import OutsideAPI
import Statecast

/// A piece of work outside of the state, and the error that a person sees where it fails.
struct RidesAttempt {
    typealias Context = EffectContext<RidesApplication.Input>

    /// Does the work and reports its result.
    let operation: @Sendable (Context) async throws -> Void
    /// The title of the error that the person acknowledges.
    let title: String
    /// The text of that error: a sentence on what can be done.
    var message: @Sendable (any Error) -> String = { UpstreamError.message(for: $0) }
    /// The fact that reports the error.
    let failed: @Sendable (ErrorMessage) -> RidesFact

    /// Reports a failure of the operation.
    @Sendable func report(_ error: any Error, _ context: Context) {
        context.send(.fact(failed(context.error(title, message(error)))))
    }
}

extension RidesUpstream {
    func signIn(_ input: RidesApplication.Input?) -> RidesAttempt {
        let failed: @Sendable (ErrorMessage) -> RidesFact = { .signIn(.failed(error: $0)) }
        guard case .action(.signIn(.submitted(let email, let password))) = input else {
            return .lost(failed)
        }
        return .authentication(failed) { context in
            let session = try await login(email, password)
            context.send(
                .fact(.signIn(.succeeded(user: session.user, token: session.token))))
        }
    }

    func signUp(_ input: RidesApplication.Input?) -> RidesAttempt {
        let failed: @Sendable (ErrorMessage) -> RidesFact = { .signUp(.failed(error: $0)) }
        guard
            case .action(
                .signUp(.submitted(let fullName, let nickname, let email, let mobile, let password))
            ) = input
        else { return .lost(failed) }
        let user = UserProfile(
            fullName: fullName, nickname: nickname, email: email, mobileNumber: mobile)
        return .authentication(failed) { context in
            let session = try await signUp(user, password)
            context.send(
                .fact(.signUp(.succeeded(user: session.user, token: session.token))))
        }
    }

    func locate() -> RidesAttempt {
        RidesAttempt(
            operation: { context in
                context.send(.fact(.location(.found(coordinate: try await location()))))
            }, title: "No location", failed: { .location(.failed(error: $0)) })
    }

    func searchPlaces(_ search: Int, _ query: String) -> RidesAttempt {
        RidesAttempt(
            operation: { context in
                let found = try await places(query).prefix(RidesLimits.places)
                context.send(.fact(.dropoff(.found(search: search, places: Array(found)))))
            }, title: "Search failed",
            failed: { .dropoff(.failed(search: search, error: $0)) })
    }

    func loadOptions(_ request: Int, _ pickup: Coordinate) -> RidesAttempt {
        RidesAttempt(
            operation: { context in
                let loaded = try await options(pickup).prefix(RidesLimits.options)
                context.send(.fact(.option(.loaded(request: request, options: Array(loaded)))))
            }, title: "No options",
            failed: { .option(.failed(request: request, error: $0)) })
    }

    func order(_ waypoints: Waypoints, _ option: RideOption) -> RidesAttempt {
        RidesAttempt(
            operation: { context in
                try await order(waypoints, option.id)
                context.send(.fact(.ride(.accepted)))
            }, title: "Not ordered", failed: { .ride(.failed(error: $0)) })
    }
}

extension RidesAttempt {
    /// The password of a form is gone, after a restart.
    private struct PasswordLost: Error {}

    /// An attempt of a form that waits, but whose password is gone.
    fileprivate static func lost(
        _ failed: @escaping @Sendable (ErrorMessage) -> RidesFact
    ) -> RidesAttempt {
        RidesAttempt(
            operation: { _ in throw PasswordLost() }, title: "Interrupted",
            message: { _ in "The server was restarted meanwhile. Submit the form again." },
            failed: failed)
    }

    fileprivate static func authentication(
        _ failed: @escaping @Sendable (ErrorMessage) -> RidesFact,
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

extension EffectContext {
    /// An error with an id that was never given before.
    func error(_ title: String, _ message: String) -> ErrorMessage {
        ErrorMessage(id: environment.makeID(), title: title, message: message)
    }
}

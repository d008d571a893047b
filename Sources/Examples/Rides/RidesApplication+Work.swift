import OutsideAPI
import Statecast

extension RidesApplication {
    typealias Operation = @Sendable (EffectContext<Input>) async throws -> Void

    func signIn(_ input: Input?) -> Operation {
        guard case .action(.signIn(.submitted(let email, let password))) = input else {
            return lost { .signIn(.failed(error: $0)) }
        }
        return authenticate(
            { try await upstream.login(email, password) },
            succeeded: { .signIn(.succeeded(user: $0.user, token: $0.token)) },
            failed: { .signIn(.failed(error: $0)) })
    }

    func signUp(_ input: Input?) -> Operation {
        guard
            case .action(
                .signUp(.submitted(let fullName, let nickname, let email, let mobile, let password))
            ) = input
        else { return lost { .signUp(.failed(error: $0)) } }
        let user = UserProfile(
            fullName: fullName, nickname: nickname, email: email, mobileNumber: mobile)
        return authenticate(
            { try await upstream.signUp(user, password) },
            succeeded: { .signUp(.succeeded(user: $0.user, token: $0.token)) },
            failed: { .signUp(.failed(error: $0)) })
    }

    /// A form that waits, but whose password is gone: after a restart.
    private func lost(_ failed: @escaping @Sendable (ErrorMessage) -> Fact) -> Operation {
        { context in
            let message = "The server was restarted meanwhile. Submit the form again."
            context.send(.fact(failed(context.error("Interrupted", message))))
        }
    }

    private func authenticate(
        _ ask: @escaping @Sendable () async throws -> UserSession,
        succeeded: @escaping @Sendable (UserSession) -> Fact,
        failed: @escaping @Sendable (ErrorMessage) -> Fact
    ) -> Operation {
        { context in
            do {
                context.send(.fact(succeeded(try await ask())))
            } catch {
                guard !Task.isCancelled else { return }
                context.send(
                    .fact(failed(context.error("Not signed in", Self.message(for: error)))))
            }
        }
    }

    private static func message(for error: any Error) -> String {
        switch error {
        case let error as UpstreamError where error.status == 401:
            "The e-mail address or the password is wrong."
        case let error as UpstreamError where error.status == 409:
            "This e-mail address has an account already."
        default: UpstreamError.message(for: error)
        }
    }

    func locate() -> Operation {
        { context in
            do {
                let coordinate = try await upstream.location()
                context.send(.fact(.location(.found(coordinate: coordinate))))
            } catch {
                guard !Task.isCancelled else { return }
                let problem = context.error("No location", UpstreamError.message(for: error))
                context.send(.fact(.location(.failed(error: problem))))
            }
        }
    }

    func searchPlaces(_ search: Int, _ query: String) -> Operation {
        { context in
            do {
                let places = try await upstream.places(query)
                context.send(
                    .fact(.dropoff(.found(search: search, places: Array(places.prefix(100))))))
            } catch {
                guard !Task.isCancelled else { return }
                let problem = context.error("Search failed", UpstreamError.message(for: error))
                context.send(.fact(.dropoff(.failed(search: search, error: problem))))
            }
        }
    }

    func loadOptions(_ request: Int, _ pickup: Coordinate) -> Operation {
        { context in
            do {
                let options = try await upstream.options(pickup)
                context.send(
                    .fact(.option(.loaded(request: request, options: Array(options.prefix(20))))))
            } catch {
                guard !Task.isCancelled else { return }
                let problem = context.error("No options", UpstreamError.message(for: error))
                context.send(.fact(.option(.failed(request: request, error: problem))))
            }
        }
    }

    func order(_ waypoints: Waypoints, _ option: RideOption) -> Operation {
        { context in
            do {
                try await upstream.order(waypoints, option.id)
                context.send(.fact(.ride(.accepted)))
            } catch {
                guard !Task.isCancelled else { return }
                let problem = context.error("Not ordered", UpstreamError.message(for: error))
                context.send(.fact(.ride(.failed(error: problem))))
            }
        }
    }
}

extension EffectContext {
    /// An error with an id that was never given before.
    func error(_ title: String, _ message: String) -> ErrorMessage {
        ErrorMessage(id: environment.makeID(), title: title, message: message)
    }
}

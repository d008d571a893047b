import OutsideAPI
import Statecast

extension RidesApplication {
    typealias Operation = @Sendable (EffectContext<Input>) async throws -> Void

    /// Reads who is signed in; what was just read is not saved again.
    func launch(_ session: SessionID) -> Operation {
        { context in
            do {
                let saved = try await userSessions.load(session)
                context.send(.fact(.launch(.finished(user: saved?.user))))
            } catch {
                let message = "Nobody knows whether you were signed in. Sign in again."
                context.send(
                    .fact(.launch(.failed(error: context.error("Cannot read", message)))))
            }
        }
    }

    func signIn(_ input: Input?, _ session: SessionID) -> Operation {
        guard case .action(.signIn(.submitted(let email, let password))) = input else {
            return lost { .signIn(.failed(error: $0)) }
        }
        return authenticate(
            session, { try await upstream.login(email, password) },
            succeeded: { .signIn(.succeeded(user: $0)) },
            failed: { .signIn(.failed(error: $0)) })
    }

    func signUp(_ input: Input?, _ session: SessionID) -> Operation {
        guard
            case .action(
                .signUp(.submitted(let fullName, let nickname, let email, let mobile, let password))
            ) = input
        else { return lost { .signUp(.failed(error: $0)) } }
        let user = UserProfile(
            fullName: fullName, nickname: nickname, email: email, mobileNumber: mobile)
        return authenticate(
            session, { try await upstream.signUp(user, password) },
            succeeded: { .signUp(.succeeded(user: $0)) },
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
        _ session: SessionID, _ ask: @escaping @Sendable () async throws -> UserSession,
        succeeded: @escaping @Sendable (UserProfile) -> Fact,
        failed: @escaping @Sendable (ErrorMessage) -> Fact
    ) -> Operation {
        { context in
            let signedIn: UserSession
            do {
                signedIn = try await ask()
            } catch {
                guard !Task.isCancelled else { return }
                return context.send(
                    .fact(failed(context.error("Not signed in", Self.message(for: error)))))
            }
            guard !Task.isCancelled else { return }
            do {
                try await userSessions.save(signedIn, session)
            } catch {
                let problem = context.error(
                    "Not kept", "You will have to sign in again next time.")
                context.send(.fact(.userSession(.failed(error: problem))))
            }
            // The last report: with it the state leaves the form, and this effect is over.
            context.send(.fact(succeeded(signedIn.user)))
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

    /// Forgets who was signed in; says so where that fails three times.
    func deleteUserSession(in session: SessionID) -> RidesEffect {
        .run("delete-user-session", policy: .queue) { context in
            for pause in [Duration.milliseconds(100), .milliseconds(200), nil] {
                do {
                    return try await userSessions.delete(session)
                } catch {
                    guard !Task.isCancelled else { return }
                    if let pause { try await context.sleep(for: pause) }
                }
            }
            let message = "The server still keeps who you were. Sign in and out again to be sure."
            context.send(
                .fact(.userSession(.failed(error: context.error("Not forgotten", message)))))
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

import OutsideAPI
import Statecast

extension RidesUpstream {
    func signIn(_ action: RidesAction?) -> RidesAttempt {
        let failed: @Sendable (ErrorText) -> RidesFact = { .signIn(.failed(error: $0)) }
        guard case .signIn(.submitted(let email, let password)) = action else {
            return .lost(failed)
        }
        return .authentication(failed) { context in
            let session = try await login(email, password)
            context.send(
                .fact(.signIn(.succeeded(user: session.user, token: session.token))))
        }
    }

    func signUp(_ action: RidesAction?) -> RidesAttempt {
        let failed: @Sendable (ErrorText) -> RidesFact = { .signUp(.failed(error: $0)) }
        guard
            case .signUp(
                .submitted(let fullName, let nickname, let email, let mobile, let password)
            ) = action
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

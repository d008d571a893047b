package import RidesModel
package import Statecast

extension RidesApplication {
    /// The work that a state waits for: none, or one piece.
    @WorkBuilder<RidesAction>
    package func work(in state: RidesState) -> [Work<RidesAction>] {
        switch state {
        case .launching(let launching):
            if launching.errors.isEmpty {
                Work("launch", for: Done(), policy: .retrying(2), readUserSession) {
                    .launch(.finished($0))
                }
            }
        case .running(.onboarding(let onboarding)): work(in: onboarding)
        case .running(.signedIn(let signedIn)): work(in: signedIn.ride)
        }
    }

    /// A person is let in only once the one before is forgotten, so that not the new user session
    /// is deleted.
    @WorkBuilder<RidesAction>
    private func work(in onboarding: Onboarding) -> [Work<RidesAction>] {
        if onboarding.page.forgetting {
            Work("user-session", for: Done(), policy: .retrying(2), deleteUserSession) {
                .forgotten($0)
            }
        } else {
            switch onboarding {
            case .welcoming: []
            case .signingIn(let form):
                if let credentials = form.submission {
                    Work("sign-in", for: credentials, signIn) { .signIn(.answered($0)) }
                }
            case .signingUp(let form):
                if let account = form.submission {
                    Work("sign-up", for: account, signUp) { .signUp(.answered($0)) }
                }
            }
        }
    }

    @WorkBuilder<RidesAction>
    private func work(in ride: Ride) -> [Work<RidesAction>] {
        switch ride {
        case .locating(let locating):
            if locating.errors.isEmpty {
                Work("locate", for: Done(), asking { upstream, _ in try await upstream.location() })
                { .ride(.located($0)) }
            }
        case .requesting(let request): work(in: request)
        case .waitingForPickup: []
        }
    }

    @WorkBuilder<RidesAction>
    private func work(in request: RideRequest) -> [Work<RidesAction>] {
        switch (request.step, request.progress) {
        case (.choosingDropoff(let picker), _):
            if let search = picker.latestSearch {
                Work(
                    "places", for: search,
                    policy: search.isTyped ? .debounced(Self.searchDebounce) : WorkPolicy(),
                    asking { upstream, search in
                        Array(try await upstream.places(search.query).prefix(RidesLimits.places))
                    }
                ) { .dropoff(.found($0)) }
            }
        case (.choosingOption, .sending(let waypoints, let option)):
            Work(
                "order", for: Order(waypoints: waypoints, optionID: option.id),
                asking { upstream, order in
                    try await upstream.order(order.waypoints, order.optionID)
                }
            ) { .ride(.ordered($0)) }
        case (.choosingOption(let picker), _):
            if let pickup = picker.loading {
                Work(
                    "options", for: pickup,
                    asking { upstream, pickup in
                        Array(try await upstream.options(pickup).prefix(RidesLimits.options))
                    }
                ) { .option(.loaded($0)) }
            }
        case (.final, _):
            Work("settle", for: Self.finalDuration) { duration, context in
                try await context.sleep(for: duration)
            } then: {
                .ride(.settled($0))
            }
        case (.initial, _): []
        }
    }

    /// The parts of a ride that the outside API is told.
    private struct Order: Equatable {
        var waypoints: Waypoints
        var optionID: String
    }

    /// An operation that asks the outside API for the session, and tells a person of its errors.
    private func asking<Value: Sendable, Output: Sendable>(
        _ question: @escaping @Sendable (RidesUpstream, Value) async throws -> Output
    ) -> @Sendable (Value, WorkContext<RidesAction>) async throws -> Output {
        { [upstream] value, context in
            do {
                return try await question(upstream.asked(for: context.session), value)
            } catch {
                throw Problem(asking: error)
            }
        }
    }
}

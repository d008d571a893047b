import HTTPClient
public import RidesModel
public import Statecast

extension RidesApplication {
    typealias Context = WorkContext<RidesAction>

    /// The work that a state waits for: none, or one piece.
    @WorkBuilder<RidesAction>
    public func work(in state: RidesState) -> [Work<RidesAction>] {
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
                Work("locate", for: Done()) { _, context in
                    try await ask(context) { try await $0.location() }
                } then: {
                    .ride(.located($0))
                }
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
                    policy: search.isTyped ? .debounced(Self.searchDebounce) : WorkPolicy()
                ) { search, context in
                    let places = try await ask(context) { try await $0.places(search.query) }
                    return Array(places.prefix(RidesState.placeLimit))
                } then: {
                    .dropoff(.found($0))
                }
            }
        case (.choosingOption, .sending(let waypoints, let option)):
            let order = RideOrder(
                optionID: option.id, pickup: waypoints.pickup,
                dropoff: waypoints.dropoff.coordinate)
            Work("order", for: order) { order, context in
                try await ask(context) { try await $0.order(order) }
            } then: {
                .ride(.ordered($0))
            }
        case (.choosingOption(let picker), _):
            if let pickup = picker.loading {
                Work("options", for: pickup) { pickup, context in
                    let options = try await ask(context) { try await $0.options(pickup) }
                    return Array(options.prefix(RidesState.optionLimit))
                } then: {
                    .option(.loaded($0))
                }
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

    /// Asks the outside API for a session, and tells a person of its errors.
    func ask<Output: Sendable>(
        _ context: Context, _ question: (RidesUpstream) async throws -> Output,
        orTell problem: (any Error) -> Problem? = { _ in nil }
    ) async throws -> Output {
        do {
            return try await JSONUpstream.onBehalf(
                of: "rides/\(context.session)", key: context.key
            ) {
                try await question(upstream)
            }
        } catch {
            throw problem(error)
                ?? Problem("upstream-failed", UpstreamError.message(for: error))
        }
    }
}

import Statecast

/// The work that a state waits for; equal work is the same work.
enum RidesWork: Equatable {
    case launch
    case signIn
    case signUp
    case locate
    case searchPlaces(search: Int, query: String)
    case loadOptions(request: Int, latitude: Double, longitude: Double)
    case order(Waypoints, RideOption)
    case settle

    /// The work that this state waits for: none, or one piece.
    static func all(in state: RidesState) -> [RidesWork] {
        switch state {
        case .launching(let launching): launching.errors.isEmpty ? [.launch] : []
        case .running(.onboarding(.welcoming)): []
        case .running(.onboarding(.signingIn(let form))): form.busy ? [.signIn] : []
        case .running(.onboarding(.signingUp(let form))): form.busy ? [.signUp] : []
        case .running(.signedIn(let signedIn)): all(in: signedIn.ride)
        }
    }

    private static func all(in ride: Ride) -> [RidesWork] {
        switch ride {
        case .locating(let locating): locating.errors.isEmpty ? [.locate] : []
        case .waitingForPickup: []
        case .requesting(let request):
            switch request.step {
            case .initial: []
            case .choosingDropoff(let picker):
                picker.latestSearch.map { [.searchPlaces(search: $0, query: picker.query)] } ?? []
            case .choosingOption(let picker):
                if case .sending(let waypoints, let option) = request.progress {
                    [.order(waypoints, option)]
                } else {
                    picker.loading.map {
                        [
                            .loadOptions(
                                request: $0, latitude: request.pickup.latitude,
                                longitude: request.pickup.longitude)
                        ]
                    } ?? []
                }
            case .final: [.settle]
            }
        }
    }

    var name: String {
        switch self {
        case .launch: "launch"
        case .signIn: "sign-in"
        case .signUp: "sign-up"
        case .locate: "locate"
        case .searchPlaces: "places"
        case .loadOptions: "options"
        case .order: "order"
        case .settle: "settle"
        }
    }
}

extension RidesApplication {
    typealias RidesEffect = Effect<RidesState, RidesAction>

    /// The effect that does the work; it is cancelled when the state no longer waits for it.
    func effect(
        for work: RidesWork, after action: RidesAction?, in session: SessionID
    ) -> RidesEffect {
        let isWaitedFor: @Sendable (RidesState) -> Bool = { RidesWork.all(in: $0).contains(work) }
        let upstream = upstream.asked(for: session)
        let attempt: RidesAttempt
        var policy = EffectPolicy.latest
        switch work {
        case .launch: return persistence(for: session).load(while: isWaitedFor)
        case .settle: return settling(while: isWaitedFor)
        case .signIn: attempt = upstream.signIn(action)
        case .signUp: attempt = upstream.signUp(action)
        case .locate: attempt = upstream.locate()
        case .searchPlaces(let search, let query):
            attempt = upstream.searchPlaces(search, query)
            if case .dropoff(.queryEdited) = action {
                policy = policy.debounced(Self.searchDebounce)
            }
        case .loadOptions(let request, let latitude, let longitude):
            attempt = upstream.loadOptions(
                request, Coordinate(latitude: latitude, longitude: longitude))
        case .order(let waypoints, let option): attempt = upstream.order(waypoints, option)
        }
        return .run(
            work.name, policy: policy, while: isWaitedFor, attempt.operation,
            catch: attempt.report)
    }

    /// Ends the confirmation once it was shown long enough.
    private func settling(while scope: @escaping @Sendable (RidesState) -> Bool) -> RidesEffect {
        .run(RidesWork.settle.name, while: scope) { context in
            try await context.sleep(for: Self.finalDuration)
            context.send(.fact(.ride(.settled)))
        }
    }
}

import Statecast

extension RidesState {
    /// Changes the state by an effect's report; a report that the state no longer waits for changes
    /// nothing.
    mutating func apply(_ fact: RidesFact, _ step: Step) {
        switch fact {
        case .launch(let fact): apply(fact, step)
        case .signIn(.succeeded(let user, _)):
            guard case .running(.onboarding(.signingIn(let form))) = self, form.busy else { return }
            signIn(user, after: form)
        case .signIn(.failed(let error)):
            guard case .running(.onboarding(.signingIn(var form))) = self, form.busy else { return }
            form.fail(error, step)
            self = .running(.onboarding(.signingIn(form)))
        case .signUp(.succeeded(let user, _)):
            guard case .running(.onboarding(.signingUp(let form))) = self, form.busy else { return }
            signIn(user, after: form)
        case .signUp(.failed(let error)):
            guard case .running(.onboarding(.signingUp(var form))) = self, form.busy else { return }
            form.fail(error, step)
            self = .running(.onboarding(.signingUp(form)))
        case .userSession(.failed(let error)):
            present(error, step)
        case .location(let fact): updateRide { $0.apply(fact, step) }
        case .dropoff(let fact): updateRide { $0.apply(fact, step) }
        case .option(let fact): updateRide { $0.apply(fact, step) }
        case .ride(let fact): updateRide { $0.apply(fact, step) }
        }
    }

    /// Signs in; errors that were not acknowledged move along.
    private mutating func signIn(_ user: UserProfile, after form: Form) {
        var signedIn = SignedIn(user: user)
        signedIn.profileErrors = form.errors
        self = .running(.signedIn(signedIn))
    }

    private mutating func apply(_ fact: LaunchFact, _ step: Step) {
        guard case .launching(var launching) = self else { return }
        switch fact {
        case .finished(.some(let user)): self = .running(.signedIn(SignedIn(user: user)))
        case .finished(.none): self = .welcoming
        case .failed(let error):
            launching.errors.present(error, step)
            self = .launching(launching)
        }
    }

    /// Shows on whatever page that the user session could not be saved or deleted.
    private mutating func present(_ error: ErrorText, _ step: Step) {
        switch self {
        case .running(.signedIn(var signedIn)):
            signedIn.profileErrors.present(error, step)
            self = .running(.signedIn(signedIn))
        case .launching(var launching):
            launching.errors.present(error, step)
            self = .launching(launching)
        case .running(.onboarding(.welcoming(var welcome))):
            welcome.errors.present(error, step)
            self = .running(.onboarding(.welcoming(welcome)))
        case .running(.onboarding(.signingIn(var form))):
            form.errors.present(error, step)
            self = .running(.onboarding(.signingIn(form)))
        case .running(.onboarding(.signingUp(var form))):
            form.errors.present(error, step)
            self = .running(.onboarding(.signingUp(form)))
        }
    }

    private mutating func updateRide(_ change: (inout SignedIn) -> Void) {
        guard case .running(.signedIn(var signedIn)) = self else { return }
        change(&signedIn)
        self = .running(.signedIn(signedIn))
    }
}

extension SignedIn {
    mutating func apply(_ fact: LocationFact, _ step: Step) {
        guard case .locating(var locating) = ride else { return }
        switch fact {
        case .found(let coordinate): ride = .requesting(RideRequest(pickup: coordinate))
        case .failed(let error):
            locating.errors.present(error, step)
            ride = .locating(locating)
        }
    }

    mutating func apply(_ fact: DropoffFact, _ step: Step) {
        guard case .requesting(var request) = ride,
            case .choosingDropoff(var picker) = request.step
        else { return }
        switch fact {
        case .found(let search, let places):
            guard picker.latestSearch == search else { return }
            picker.latestSearch = nil
            picker.results = places
        case .failed(let search, let error):
            guard picker.latestSearch == search else { return }
            picker.latestSearch = nil
            picker.errors.present(error, step)
        }
        request.step = .choosingDropoff(picker)
        ride = .requesting(request)
    }

    mutating func apply(_ fact: OptionFact, _ step: Step) {
        guard case .requesting(var request) = ride,
            case .choosingOption(var picker) = request.step
        else { return }
        switch fact {
        case .loaded(let number, let options):
            guard picker.loading == number else { return }
            picker.loading = nil
            picker.options = options
            picker.selected = options.first?.id
        case .failed(let number, let error):
            guard picker.loading == number else { return }
            picker.loading = nil
            picker.errors.present(error, step)
        }
        request.step = .choosingOption(picker)
        ride = .requesting(request)
    }

    mutating func apply(_ fact: RideFact, _ step: Step) {
        guard case .requesting(var request) = ride else { return }
        switch (fact, request.step, request.progress) {
        case (.accepted, .choosingOption, .sending(let waypoints, let option)):
            request.step = .final
            request.progress = .ready(waypoints: waypoints, option: option)
        case (.failed(let error), .choosingOption(var picker), .sending(let waypoints, let option)):
            request.errors.present(error, step)
            request.progress = .ready(waypoints: waypoints, option: option)
            picker.confirming = false
            request.step = .choosingOption(picker)
        case (.settled, .final, _):
            ride = .waitingForPickup
            return
        default:
            return
        }
        ride = .requesting(request)
    }
}

import Redux

extension SignedIn {
    /// Changes the pages by an action that is sent from them.
    mutating func apply(_ action: RidesAction, _ step: Step) throws(Rejection) {
        switch action {
        case .profile(let action): try apply(action)
        case .ride(let action): try apply(action, step)
        case .dropoff(let action): try apply(action, step)
        case .option(let action): try apply(action, step)
        default: throw .wrongStep
        }
    }

    private mutating func apply(_ action: ProfileAction) throws(Rejection) {
        switch action {
        case .opened:
            guard !viewingProfile else {
                throw .outOfOrder("profile-open", "The profile is open already.")
            }
            viewingProfile = true
        case .closed:
            guard viewingProfile else {
                throw .outOfOrder("profile-closed", "The profile is not open.")
            }
            viewingProfile = false
        case .errorAcknowledged(let id):
            profileErrors.acknowledge(id)
        }
    }

    private mutating func apply(_ action: RideAction, _ step: Step) throws(Rejection) {
        switch (ride, action) {
        case (_, .located(let answer)): finishLocating(answer, step)
        case (_, .ordered(let answer)): finishOrder(answer, step)
        case (_, .settled): settle()
        case (.locating(var locating), .errorAcknowledged(let id)):
            // The last one acknowledged, it is tried again.
            locating.errors.acknowledge(id)
            ride = .locating(locating)
        case (.locating(let locating), .retried):
            guard !locating.errors.isEmpty else { throw .nothingToRetry }
            ride = .locating(Attempt())
        case (.requesting(var request), _):
            try apply(action, to: &request)
        case (.waitingForPickup, .startedAgain):
            ride = .locating(Attempt())
        default: throw .wrongStep
        }
    }

    private mutating func apply(
        _ action: RideAction, to request: inout RideRequest
    ) throws(Rejection) {
        switch (request.step, action) {
        case (.initial, .destinationTapped):
            request.step = .choosingDropoff(DropoffPicker())
            request.askWhereTo = false
        case (.choosingDropoff, .destinationCancelled), (.choosingOption, .destinationCancelled):
            if case .sending = request.progress { throw .wrongStep }
            request = RideRequest(pickup: request.pickup)
        case (.choosingOption(let picker), .confirmed):
            guard case .ready(let waypoints, let option) = request.progress, picker.confirming
            else { throw .wrongStep }
            request.progress = .sending(waypoints: waypoints, option: option)
        case (.choosingOption(var picker), .errorAcknowledged(let id)):
            request.errors.acknowledge(id)
            if request.errors.isEmpty, case .ready = request.progress {
                picker.confirming = true
                request.step = .choosingOption(picker)
            }
        case (.final, .finished):
            ride = .waitingForPickup
            return
        case (_, .errorAcknowledged(let id)):
            request.errors.acknowledge(id)
        default:
            throw .wrongStep
        }
        ride = .requesting(request)
    }

    /// Ends the search for the person, or shows that it failed.
    private mutating func finishLocating(_ answer: Answer<Coordinate>, _ step: Step) {
        guard case .locating(var locating) = ride else { return }
        switch answer {
        case .value(let coordinate): ride = .requesting(RideRequest(pickup: coordinate))
        case .problem(let problem):
            locating.errors.present("No location", problem, step)
            ride = .locating(locating)
        }
    }

    /// Confirms the order, or shows that it failed.
    private mutating func finishOrder(_ answer: Answer<Done>, _ step: Step) {
        guard case .requesting(var request) = ride,
            case .choosingOption(var picker) = request.step,
            case .sending(let waypoints, let option) = request.progress
        else { return }
        request.progress = .ready(waypoints: waypoints, option: option)
        if let problem = answer.problem {
            request.errors.present("Not ordered", problem, step)
            picker.confirming = false
            request.step = .choosingOption(picker)
        } else {
            request.step = .final
        }
        ride = .requesting(request)
    }

    /// Ends the confirmation.
    private mutating func settle() {
        guard case .requesting(let request) = ride, case .final = request.step else { return }
        ride = .waitingForPickup
    }

    private mutating func apply(_ action: DropoffAction, _ step: Step) throws(Rejection) {
        guard case .requesting(var request) = ride,
            case .choosingDropoff(var picker) = request.step
        else { throw .wrongStep }
        switch action {
        case .queryEdited(let text):
            guard text.utf8.count <= RidesState.textByteLimit else {
                throw Rejection("text-too-long", "The query is too long.")
            }
            picker.query = text
            picker.search(isTyped: true)
        case .errorAcknowledged(let id): picker.errors.acknowledge(id)
        case .retried:
            guard !picker.errors.isEmpty else { throw .nothingToRetry }
            picker.errors = []
            picker.search(isTyped: false)
        case .found(let answer): picker.finish(answer, step)
        case .chosen(let placeID):
            guard let place = picker.results.first(where: { $0.id == placeID }) else {
                throw .outOfOrder("unknown-place", "That place is not among the results.")
            }
            request.progress = .waypoints(Waypoints(pickup: request.pickup, dropoff: place))
            request.map.dropoff = place.coordinate
            request.step = .choosingOption(OptionPicker(loading: request.pickup))
            ride = .requesting(request)
            return
        }
        request.step = .choosingDropoff(picker)
        ride = .requesting(request)
    }

    private mutating func apply(_ action: OptionAction, _ step: Step) throws(Rejection) {
        guard case .requesting(var request) = ride,
            case .choosingOption(var picker) = request.step,
            let waypoints = request.progress.waypoints
        else { throw .wrongStep }
        switch action {
        case .chosen(let optionID):
            if case .sending = request.progress { throw .wrongStep }
            guard request.errors.isEmpty else { throw .errorOpen }
            guard let option = picker.options.first(where: { $0.id == optionID }) else {
                throw .outOfOrder("unknown-option", "That option is not offered.")
            }
            picker.selected = optionID
            picker.confirming = true
            request.progress = .ready(waypoints: waypoints, option: option)
        case .errorAcknowledged(let id):
            picker.errors.acknowledge(id)
        case .retried:
            guard picker.loading == nil, picker.options.isEmpty else { throw .nothingToRetry }
            picker.errors = []
            picker.loading = request.pickup
        case .loaded(let answer): picker.finish(answer, step)
        }
        request.step = .choosingOption(picker)
        ride = .requesting(request)
    }
}

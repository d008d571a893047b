import Statecast

extension SignedIn {
    mutating func apply(_ action: ProfileAction) throws(Rejection) {
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

    mutating func apply(_ action: RideAction) throws(Rejection) {
        switch (ride, action) {
        case (.locating(var locating), .errorAcknowledged(let id)):
            // The last one acknowledged, it is tried again.
            locating.errors.acknowledge(id)
            ride = .locating(locating)
        case (.locating(let locating), .retried):
            guard !locating.errors.isEmpty else { throw .nothingToRetry }
            ride = .locating(Locating())
        case (.requesting(var request), _):
            try apply(action, to: &request)
        case (.waitingForPickup, .startedAgain):
            ride = .locating(Locating())
        case (_, .errorAcknowledged):
            return
        default:
            throw .wrongStep
        }
    }

    private mutating func apply(
        _ action: RideAction, to request: inout RideRequest
    ) throws(Rejection) {
        switch (request.step, action) {
        case (.initial, .destinationTapped):
            request.step = .choosingDropoff(DropoffPicker(latestSearch: nextRequest()))
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

    mutating func apply(_ action: DropoffAction) throws(Rejection) {
        guard case .requesting(var request) = ride,
            case .choosingDropoff(var picker) = request.step
        else {
            if action.acknowledged { return }
            throw .wrongStep
        }
        switch action {
        case .queryEdited(let text):
            guard text.utf8.count <= RidesLimits.textByteCount else {
                throw Rejection("text-too-long", "The query is too long.")
            }
            picker.query = text
            picker.latestSearch = nextRequest()
            request.step = .choosingDropoff(picker)
        case .chosen(let placeID):
            guard let place = picker.results.first(where: { $0.id == placeID }) else {
                throw .outOfOrder("unknown-place", "That place is not among the results.")
            }
            request.progress = .waypoints(Waypoints(pickup: request.pickup, dropoff: place))
            request.map.dropoff = place.coordinate
            request.step = .choosingOption(OptionPicker(loading: nextRequest()))
        case .errorAcknowledged(let id):
            picker.errors.acknowledge(id)
            request.step = .choosingDropoff(picker)
        case .retried:
            guard !picker.errors.isEmpty else { throw .nothingToRetry }
            picker.errors = []
            picker.latestSearch = nextRequest()
            request.step = .choosingDropoff(picker)
        }
        ride = .requesting(request)
    }

    mutating func apply(_ action: OptionAction) throws(Rejection) {
        guard case .requesting(var request) = ride,
            case .choosingOption(var picker) = request.step,
            let waypoints = request.progress.waypoints
        else {
            if action.acknowledged { return }
            throw .wrongStep
        }
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
            picker.loading = nextRequest()
        }
        request.step = .choosingOption(picker)
        ride = .requesting(request)
    }
}

extension Rejection {
    static var wrongStep: Rejection {
        outOfOrder("wrong-step", "The ride is not at the step where that can be done.")
    }
}

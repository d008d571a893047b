import Redux

/// A ride that is being put together.
package struct RideRequest: StateValue {
    /// The place where the person is.
    package var pickup: Coordinate
    package var step = Step.initial
    package var progress = Progress.none
    package var map: Map
    /// True while "where to?" is shown.
    package var askWhereTo = true
    /// The reasons why the request failed.
    package var errors: [ErrorMessage] = []

    package init(pickup: Coordinate) {
        self.pickup = pickup
        map = Map(pickup: pickup)
    }

    /// The pins on the map.
    package struct Map: StateValue {
        package var pickup: Coordinate
        /// Absent until the person has chosen it.
        package var dropoff: Coordinate?
    }

    /// The question that the person is asked at the moment.
    package enum Step: StateValue {
        case initial
        case choosingDropoff(DropoffPicker)
        case choosingOption(OptionPicker)
        case final
    }

    /// The decisions that the person has made.
    package enum Progress: StateValue {
        case none
        case waypoints(Waypoints)
        case ready(waypoints: Waypoints, option: RideOption)
        case sending(waypoints: Waypoints, option: RideOption)

        /// Both ends of the ride, once the destination is chosen.
        package var waypoints: Waypoints? {
            switch self {
            case .none: nil
            case .waypoints(let waypoints), .ready(let waypoints, _), .sending(let waypoints, _):
                waypoints
            }
        }
    }
}

/// Both ends of a ride.
package struct Waypoints: StateValue {
    package var pickup: Coordinate
    package var dropoff: Place
}

/// The choice of the destination.
package struct DropoffPicker: StateValue {
    package var query = ""
    /// The places that the latest search found.
    package var results: [Place] = []
    /// The search whose answer is awaited; absent once it came.
    package var latestSearch: PlaceSearch?
    /// The reasons why the latest search failed.
    package var errors: [ErrorMessage] = []

    /// Begins with a search for all places.
    package init() {
        search(isTyped: false)
    }

    /// Searches for the query.
    mutating func search(isTyped: Bool) {
        latestSearch = PlaceSearch(query: query, isTyped: isTyped)
    }

    /// Shows what was found, or why nothing was.
    mutating func finish(_ answer: Answer<[Place]>, _ step: Step) {
        guard latestSearch != nil else { return }
        latestSearch = nil
        switch answer {
        case .value(let places): results = places
        case .problem(let problem): errors.present("Search failed", problem, step)
        }
    }
}

/// A search for places.
package struct PlaceSearch: StateValue {
    package var query: String
    /// True where a person is typing: the search waits for a pause.
    package var isTyped: Bool

}

/// The choice of the kind of vehicle.
package struct OptionPicker: StateValue {
    /// Empty while they are fetched, and where none is offered.
    package var options: [RideOption] = []
    /// The place whose options are being fetched; absent once they came.
    package var loading: Coordinate?
    /// The option that is highlighted.
    package var selected: String?
    /// True while the confirmation is shown.
    package var confirming = false
    /// The reasons why the options could not be fetched, or the request not be sent.
    package var errors: [ErrorMessage] = []

    /// Offers what was fetched, or shows why nothing was.
    mutating func finish(_ answer: Answer<[RideOption]>, _ step: Step) {
        guard loading != nil else { return }
        loading = nil
        switch answer {
        case .value(let options):
            self.options = options
            selected = options.first?.id
        case .problem(let problem): errors.present("No options", problem, step)
        }
    }
}

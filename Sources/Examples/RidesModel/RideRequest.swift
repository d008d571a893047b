import Redux

/// A ride that is being put together.
public struct RideRequest: StateValue {
    /// The place where the person is.
    public var pickup: Coordinate
    public var step = Step.initial
    public var progress = Progress.none
    public var map: Map
    /// True while "where to?" is shown.
    public var askWhereTo = true
    /// The reasons why the request failed.
    public var errors: [ErrorMessage] = []

    public init(pickup: Coordinate) {
        self.pickup = pickup
        map = Map(pickup: pickup)
    }

    /// The pins on the map.
    public struct Map: StateValue {
        public var pickup: Coordinate
        /// Absent until the person has chosen it.
        public var dropoff: Coordinate?
    }

    /// The question that the person is asked at the moment.
    public enum Step: StateValue {
        case initial
        case choosingDropoff(DropoffPicker)
        case choosingOption(OptionPicker)
        case final
    }

    /// The decisions that the person has made.
    public enum Progress: StateValue {
        case none
        case waypoints(Waypoints)
        case ready(waypoints: Waypoints, option: RideOption)
        case sending(waypoints: Waypoints, option: RideOption)

        /// Both ends of the ride, once the destination is chosen.
        public var waypoints: Waypoints? {
            switch self {
            case .none: nil
            case .waypoints(let waypoints), .ready(let waypoints, _), .sending(let waypoints, _):
                waypoints
            }
        }
    }
}

/// Both ends of a ride.
public struct Waypoints: StateValue {
    public var pickup: Coordinate
    public var dropoff: Place
}

/// The choice of the destination.
public struct DropoffPicker: StateValue {
    public var query = ""
    /// The places that the latest search found.
    public var results: [Place] = []
    /// The search whose answer is awaited; absent once it came.
    public var latestSearch: PlaceSearch?
    /// The reasons why the latest search failed.
    public var errors: [ErrorMessage] = []

    /// Begins with a search for all places.
    public init() {
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
public struct PlaceSearch: StateValue {
    public var query: String
    /// True where a person is typing: the search waits for a pause.
    public var isTyped: Bool

}

/// The choice of the kind of vehicle.
public struct OptionPicker: StateValue {
    /// Empty while they are fetched, and where none is offered.
    public var options: [RideOption] = []
    /// The place whose options are being fetched; absent once they came.
    public var loading: Coordinate?
    /// The option that is highlighted.
    public var selected: String?
    /// True while the confirmation is shown.
    public var confirming = false
    /// The reasons why the options could not be fetched, or the request not be sent.
    public var errors: [ErrorMessage] = []

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

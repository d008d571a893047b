/// A ride that is being put together.
public struct RideRequest: Codable, Equatable, Sendable {
    /// Where the person is.
    public var pickup: Coordinate
    /// What is asked for at the moment.
    public var step = Step.initial
    /// What is decided so far.
    public var progress = Progress.none
    /// What the map shows.
    public var map: Map
    /// Whether "where to?" is shown.
    public var askWhereTo = true
    /// Why the request failed.
    public var errors: [ErrorMessage] = []

    /// A request from a place, nothing else known.
    public init(pickup: Coordinate) {
        self.pickup = pickup
        map = Map(pickup: pickup)
    }

    /// The pins on the map.
    public struct Map: Codable, Equatable, Sendable {
        /// Where the ride begins.
        public var pickup: Coordinate
        /// Where it ends, once chosen.
        public var dropoff: Coordinate?
    }

    /// What is asked for.
    public enum Step: Codable, Equatable, Sendable {
        case initial
        case choosingDropoff(DropoffPicker)
        case choosingOption(OptionPicker)
        case final
    }

    /// What is decided.
    public enum Progress: Codable, Equatable, Sendable {
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
public struct Waypoints: Codable, Equatable, Sendable {
    /// Where it begins.
    public var pickup: Coordinate
    /// Where it ends.
    public var dropoff: Place

    /// A ride between two points.
    public init(pickup: Coordinate, dropoff: Place) {
        self.pickup = pickup
        self.dropoff = dropoff
    }
}

/// Choosing the destination.
public struct DropoffPicker: Codable, Equatable, Sendable {
    /// What was typed last.
    public var query = ""
    /// What the latest search found.
    public var results: [Place] = []
    /// The search whose answer counts; absent once it came.
    public var latestSearch: Int?
    /// Why the latest search failed.
    public var errors: [ErrorMessage] = []

    /// A picker with its first search under way.
    public init(latestSearch: Int) {
        self.latestSearch = latestSearch
    }
}

/// Choosing the kind of vehicle.
public struct OptionPicker: Codable, Equatable, Sendable {
    /// What is offered; empty while loading, and where nothing is.
    public var options: [RideOption] = []
    /// The fetch whose answer counts; absent once it came.
    public var loading: Int?
    /// The option that is highlighted.
    public var selected: String?
    /// Whether the confirmation is shown.
    public var confirming = false
    /// Why the options could not be fetched, or the request not be sent.
    public var errors: [ErrorMessage] = []

    /// A picker with its options under way.
    public init(loading: Int) {
        self.loading = loading
    }
}

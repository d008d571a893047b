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

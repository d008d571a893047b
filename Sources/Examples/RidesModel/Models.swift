import Redux

/// A point on the map, in degrees (WGS 84).
package struct Coordinate: StateValue {
    /// North is positive.
    package var latitude: Double
    /// East is positive.
    package var longitude: Double
}

/// A place to be picked up or dropped off.
package struct Place: StateValue, Identifiable {
    /// The id is stable over restarts, for example `"lantern-market"`.
    package var id: String
    package var name: String
    /// Street and number.
    package var address: String
    package var latitude: Double
    package var longitude: Double

    package var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }

    package init(id: String, name: String, address: String, coordinate: Coordinate) {
        self.id = id
        self.name = name
        self.address = address
        latitude = coordinate.latitude
        longitude = coordinate.longitude
    }
}

/// A kind of vehicle that can be ordered.
package struct RideOption: StateValue, Identifiable {
    /// The id is stable over restarts, for example `"tandem"`.
    package var id: String
    package var name: String
    package var note: String
    package var seats: Int
    /// The price in hundredths of the currency's unit.
    package var priceCents: Int
    /// ISO 4217, for example `"EUR"`.
    package var currency: String
    /// The picture for screens of one, two and three pixels a point.
    package var pictures: Pictures

    /// The URLs of the pictures of an option.
    package struct Pictures: StateValue {
        /// One pixel a point.
        package var x1: String
        /// Two pixels a point.
        package var x2: String
        /// Three pixels a point.
        package var x3: String
    }
}

/// The person who is signed in, as others may see them: no password, no token.
package struct UserProfile: StateValue {
    package var fullName: String
    /// The driver calls the person so.
    package var nickname: String
    package var email: String
    package var mobileNumber: String
}

/// An error that is shown until a client acknowledges it.
package struct ErrorMessage: StateValue, Identifiable {
    /// The server makes each id once, so that two clients may both acknowledge the error.
    package var id: String
    /// The error in a few words.
    package var title: String
    /// A sentence on what the person can do.
    package var message: String
}

extension [ErrorMessage] {
    /// Takes an error away; an unknown or already acknowledged id changes nothing.
    mutating func acknowledge(_ id: String) {
        removeAll { $0.id == id }
    }

    /// Adds the message of a problem under an id that the step makes, keeping the newest ten.
    mutating func present(_ title: String, _ problem: Problem, _ step: Step) {
        append(ErrorMessage(id: step.makeID(), title: title, message: problem.message))
        if count > 10 { removeFirst(count - 10) }
    }
}

import Redux

/// A point on the map, in degrees (WGS 84).
public struct Coordinate: StateValue {
    /// North is positive.
    public var latitude: Double
    /// East is positive.
    public var longitude: Double
}

/// A place to be picked up or dropped off.
public struct Place: StateValue, Identifiable {
    /// The id is stable over restarts, for example `"lantern-market"`.
    public var id: String
    public var name: String
    /// Street and number.
    public var address: String
    public var latitude: Double
    public var longitude: Double

    public var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }

    public init(id: String, name: String, address: String, coordinate: Coordinate) {
        self.id = id
        self.name = name
        self.address = address
        latitude = coordinate.latitude
        longitude = coordinate.longitude
    }
}

/// A kind of vehicle that can be ordered.
public struct RideOption: StateValue, Identifiable {
    /// The id is stable over restarts, for example `"tandem"`.
    public var id: String
    public var name: String
    public var note: String
    public var seats: Int
    /// The price in hundredths of the currency's unit.
    public var priceCents: Int
    /// ISO 4217, for example `"EUR"`.
    public var currency: String
    /// The picture for screens of one, two and three pixels a point.
    public var pictures: Pictures

    /// The URLs of the pictures of an option.
    public struct Pictures: StateValue {
        /// One pixel a point.
        public var x1: String
        /// Two pixels a point.
        public var x2: String
        /// Three pixels a point.
        public var x3: String
    }
}

/// The person who is signed in, as others may see them: no password, no token.
public struct UserProfile: StateValue {
    public var fullName: String
    /// The driver calls the person so.
    public var nickname: String
    public var email: String
    public var mobileNumber: String
}

/// An error that is shown until a client acknowledges it.
public struct ErrorMessage: StateValue, Identifiable {
    /// The server makes each id once, so that two clients may both acknowledge the error.
    public var id: String
    /// The error in a few words.
    public var title: String
    /// A sentence on what the person can do.
    public var message: String
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

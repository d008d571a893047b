public import FoundationEssentials

/// A point on the map, in degrees (WGS 84).
public struct Coordinate: Codable, Equatable, Sendable {
    /// North is positive.
    public var latitude: Double
    /// East is positive.
    public var longitude: Double

    /// A point.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// Somewhere to be picked up or dropped off.
public struct Place: Codable, Equatable, Sendable, Identifiable {
    /// Stable over restarts, for example `"lantern-market"`.
    public var id: String
    /// The name that is shown.
    public var name: String
    /// Street and number.
    public var address: String
    /// In degrees, north is positive.
    public var latitude: Double
    /// In degrees, east is positive.
    public var longitude: Double

    /// Where it is.
    public var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }

    /// A place of known parts.
    public init(id: String, name: String, address: String, coordinate: Coordinate) {
        self.id = id
        self.name = name
        self.address = address
        latitude = coordinate.latitude
        longitude = coordinate.longitude
    }
}

/// A kind of vehicle that can be ordered.
public struct RideOption: Codable, Equatable, Sendable, Identifiable {
    /// Stable over restarts, for example `"tandem"`.
    public var id: String
    /// The name that is shown.
    public var name: String
    /// One line on what comes.
    public var note: String
    /// How many people it takes.
    public var seats: Int
    /// The price in hundredths of the currency's unit.
    public var priceCents: Int
    /// ISO 4217, for example `"EUR"`.
    public var currency: String
    /// The picture for screens of one, two and three pixels a point.
    public var pictures: Pictures

    /// Where the pictures of an option are.
    public struct Pictures: Codable, Equatable, Sendable {
        /// One pixel a point.
        public var x1: URL
        /// Two pixels a point.
        public var x2: URL
        /// Three pixels a point.
        public var x3: URL

        /// Pictures at known places.
        public init(x1: URL, x2: URL, x3: URL) {
            self.x1 = x1
            self.x2 = x2
            self.x3 = x3
        }
    }

    /// An option of known parts.
    public init(
        id: String, name: String, note: String, seats: Int, priceCents: Int, currency: String,
        pictures: Pictures
    ) {
        self.id = id
        self.name = name
        self.note = note
        self.seats = seats
        self.priceCents = priceCents
        self.currency = currency
        self.pictures = pictures
    }
}

/// The person who is signed in, as others may see them: no password, no token.
public struct UserProfile: Codable, Equatable, Sendable {
    /// First and last name.
    public var fullName: String
    /// What the driver calls them.
    public var nickname: String
    /// Where mail goes.
    public var email: String
    /// Where calls go.
    public var mobileNumber: String

    /// A profile of known parts.
    public init(fullName: String, nickname: String, email: String, mobileNumber: String) {
        self.fullName = fullName
        self.nickname = nickname
        self.email = email
        self.mobileNumber = mobileNumber
    }
}

/// Something that went wrong, shown until somebody acknowledges it.
public struct ErrorMessage: Codable, Equatable, Sendable, Identifiable {
    /// Made on the server, never used again: two clients may both acknowledge.
    public var id: String
    /// What went wrong, in a few words.
    public var title: String
    /// What can be done.
    public var message: String

    /// An error of known parts.
    public init(id: String, title: String, message: String) {
        self.id = id
        self.title = title
        self.message = message
    }
}

extension [ErrorMessage] {
    /// Takes an error away; an unknown or already acknowledged id changes nothing.
    mutating func acknowledge(_ id: String) {
        removeAll { $0.id == id }
    }

    /// Adds an error, keeping the newest ten.
    mutating func present(_ error: ErrorMessage) {
        append(error)
        if count > 10 { removeFirst(count - 10) }
    }
}

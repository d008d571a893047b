/// The answer of `POST /login` (200; `Authorization: Basic`, no body; wrong credentials: 401) and
/// of `POST /sign-up` (201; an e-mail address that is taken: 409; an empty member: 422).
///
///     {"token":"t-1-5f0c…","user":{"id":"u1","fullName":"Rosa Lindqvist","nickname":"Rosa",
///      "email":"rosa@example.com","mobileNumber":"+46 70 555 01 01"}}
///
/// One account exists from the start: `rosa@example.com`, password `open-sesame`.
struct LoginAnswer: Encodable, Sendable {
    var token: String
    var user: Rider
}

/// A person who orders rides; a part of `LoginAnswer`.
struct Rider: Encodable, Sendable {
    var id: String
    var fullName: String
    var nickname: String
    var email: String
    var mobileNumber: String
}

/// The body of `POST /sign-up`.
///
///     {"fullName":"Rosa Lindqvist","nickname":"Rosa","email":"rosa@example.com",
///      "mobileNumber":"+46 70 555 01 01","password":"open-sesame"}
struct SignUp: Decodable, Sendable {
    var fullName: String
    var nickname: String
    var email: String
    var mobileNumber: String
    var password: String
}

/// A place on the map: an element of `GET /places?query=` (`query` is a case-insensitive part of
/// name or address, absent or empty means all), and the answer of `GET /location`.
///
///     {"id":"lantern-market","name":"Lantern Market","address":"Ropewalk 12",
///      "latitude":59.3251,"longitude":18.0711}
struct Place: Encodable, Sendable {
    var id: String
    var name: String
    var address: String
    var latitude: Double
    var longitude: Double
}

/// A way to ride, as `GET /ride-options?latitude=&longitude=` answers (an array; 400 without
/// numbers). Prices depend on the place a little, and are the same for the same place.
///
///     {"id":"tandem","name":"Tandem","note":"You pedal too.","seats":1,"priceCents":420,
///      "currency":"EUR","pictures":{"x1":"/pictures/rides/tandem@1x.svg",
///      "x2":"/pictures/rides/tandem@2x.svg","x3":"/pictures/rides/tandem@3x.svg"}}
struct RideOption: Encodable, Sendable {
    /// The same drawing for screens of one, two and three pixels a point.
    struct Pictures: Encodable, Sendable {
        var x1: String
        var x2: String
        var x3: String
    }

    var id: String
    var name: String
    var note: String
    var seats: Int
    var priceCents: Int
    var currency = "EUR"
    var pictures: Pictures
}

/// The point where a ride begins or ends, in the body of `POST /rides`.
struct Coordinate: Decodable, Sendable {
    var latitude: Double
    var longitude: Double
}

/// The body of `POST /rides`. An unknown option is refused with 422.
///
///     {"optionID":"tandem","pickup":{"latitude":59.3251,"longitude":18.0711},
///      "dropoff":{"latitude":59.3301,"longitude":18.0590}}
struct RideRequest: Decodable, Sendable {
    var optionID: String
    var pickup: Coordinate
    var dropoff: Coordinate
}

/// The answer of `POST /rides` (201).
///
///     {"id":"ride-1","optionID":"tandem"}
struct RideReceipt: Encodable, Sendable {
    var id: String
    var optionID: String
}

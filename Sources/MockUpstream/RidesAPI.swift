internal import Bytes
internal import FoundationEssentials

/// The resources of the Rides application: accounts, location, places, options, rides.
struct RidesAPI {
    /// The mock keeps no more accounts than this.
    static let accountLimit = 1_000

    /// Those who can sign in, by e-mail address in lower case. The passwords are in clear text: a real
    /// one does not belong in a mock.
    private var accounts: [String: Rider]
    private var generator: SplitMix
    private var tokenCount = 0
    private var rideCount = 0

    /// The seed makes tokens that differ between mocks and not between runs.
    init(seed: UInt64) {
        generator = SplitMix(seed: seed)
        let rosa = Rider(
            id: "u1", fullName: "Rosa Lindqvist", nickname: "Rosa", email: "rosa@example.com",
            mobileNumber: "+46 70 555 01 01", password: "open-sesame")
        accounts = [rosa.email: rosa]
    }

    mutating func answer(_ request: MockRequest) throws(MockAnswer) -> MockAnswer {
        switch (request.method, request.path) {
        case ("POST", "/login"): return try login(authorization: request.authorization)
        case ("POST", "/sign-up"): return try signUp(request)
        case ("GET", "/location"): return .json(Place.here)
        case ("GET", "/places"): return places(query: request.query["query"] ?? "")
        case ("GET", "/ride-options"): return try options(request)
        case ("POST", "/rides"): return try order(request)
        case (_, "/login"), (_, "/sign-up"), (_, "/rides"): throw .notAllowed("POST")
        case (_, "/location"), (_, "/places"), (_, "/ride-options"): throw .notAllowed("GET, HEAD")
        default: throw .unknown("resource \(request.path)")
        }
    }

    // MARK: Accounts

    /// RFC 7617. The realm is named with the 401, as RFC 9110 §11.6.1 asks.
    private mutating func login(authorization: String?) throws(MockAnswer) -> MockAnswer {
        guard let (email, password) = authorization.flatMap(credentials),
            let rider = accounts[email.lowercased()], rider.password == password
        else {
            var answer = MockAnswer.problem(
                401, "wrong-credentials", "E-mail address and password do not match.")
            answer.fields = [("WWW-Authenticate", "Basic realm=\"rides\", charset=\"UTF-8\"")]
            throw answer
        }
        return .json(loginAnswer(rider))
    }

    private mutating func signUp(_ request: MockRequest) throws(MockAnswer) -> MockAnswer {
        var form: Rider = try request.decodeBody("A sign-up has five texts")
        let values = [form.fullName, form.nickname, form.email, form.mobileNumber, form.password]
        guard !values.contains(where: { $0?.allSatisfy(\.isWhitespace) ?? true }),
            form.email.contains("@")
        else { throw .problem(422, "incomplete", "All five texts are needed.") }
        let email = form.email.lowercased()
        guard accounts[email] == nil else {
            throw .problem(409, "email-taken", "There is an account with this address.")
        }
        guard accounts.count < Self.accountLimit else {
            throw .problem(503, "full", "The mock keeps \(Self.accountLimit) accounts.")
        }
        form.id = "u\(accounts.count + 1)"
        accounts[email] = form
        return .json(loginAnswer(form), status: 201)
    }

    private mutating func loginAnswer(_ rider: Rider) -> LoginAnswer {
        tokenCount += 1
        var user = rider
        user.password = nil
        let token = "t-\(tokenCount)-\(String(generator.next(), radix: 16))"
        return LoginAnswer(token: token, user: user)
    }

    private func credentials(_ value: String) -> (email: String, password: String)? {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic",
            let data = Data(base64Encoded: String(parts[1])),
            let text = String(bytes: data, encoding: .utf8),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }

    // MARK: Rides

    private func places(query: String) -> MockAnswer {
        let wanted = query.lowercased()
        return .json(
            Place.all.filter {
                wanted.isEmpty || $0.name.lowercased().contains(wanted)
                    || $0.address.lowercased().contains(wanted)
            })
    }

    private func options(_ request: MockRequest) throws(MockAnswer) -> MockAnswer {
        guard let latitude = request.query["latitude"].flatMap(Double.init),
            let longitude = request.query["longitude"].flatMap(Double.init),
            (-90...90).contains(latitude), (-180...180).contains(longitude)
        else { throw .problem(400, "bad-place", "?latitude=&longitude= with numbers.") }
        return .json(RideOption.all(latitude: latitude, longitude: longitude))
    }

    private mutating func order(_ request: MockRequest) throws(MockAnswer) -> MockAnswer {
        let ride: RideRequest = try request.decodeBody("A ride is {\"optionID\":…,…}")
        let options = RideOption.all(latitude: 0, longitude: 0)
        guard options.contains(where: { $0.id == ride.optionID }) else {
            throw .problem(422, "unknown-option", "There is no option \(ride.optionID).")
        }
        rideCount += 1
        return .json(["id": "ride-\(rideCount)", "optionID": ride.optionID], status: 201)
    }
}

/// The answer of `POST /login` (200; `Authorization: Basic`, no body; wrong credentials: 401) and
/// of `POST /sign-up` (201; an e-mail address that is taken: 409; an empty member: 422).
///
///     {"token":"t-1-5f0c…","user":{"id":"u1","fullName":"Rosa Lindqvist","nickname":"Rosa",
///      "email":"rosa@example.com","mobileNumber":"+46 70 555 01 01"}}
///
/// One account exists from the start: `rosa@example.com`, password `open-sesame`.
private struct LoginAnswer: Encodable {
    var token: String
    var user: Rider
}

/// A person who orders rides. With a password, and before there is an id, the body of `POST /sign-up`.
///
///     {"fullName":"Rosa Lindqvist","nickname":"Rosa","email":"rosa@example.com",
///      "mobileNumber":"+46 70 555 01 01","password":"open-sesame"}
private struct Rider: Codable {
    var id: String?
    var fullName: String
    var nickname: String
    var email: String
    var mobileNumber: String
    var password: String?
}

/// A place on the map: an element of `GET /places?query=` (`query` is a case-insensitive part of
/// name or address, absent or empty means all), and the answer of `GET /location`.
///
///     {"id":"lantern-market","name":"Lantern Market","address":"Ropewalk 12",
///      "latitude":59.3251,"longitude":18.0711}
private struct Place: Encodable {
    var id: String
    var name: String
    var address: String
    var latitude: Double
    var longitude: Double

    /// Where the rider stands.
    static let here = rows("linden-steps|Linden Steps|Linden Steps 4|59.3251|18.0711")[0]

    /// Where one can go in the invented city.
    static let all = rows(
        """
        lantern-market|Lantern Market|Ropewalk 12|59.3301|18.0590
        old-observatory|Old Observatory|Stargazer Hill 1|59.3416|18.0549
        tin-pier|Tin Pier|Harbour Road 88|59.3192|18.0902
        paper-mill-baths|Paper Mill Baths|Mill Lane 3|59.3358|18.0931
        northern-terminus|Northern Terminus|Station Square 1|59.3372|18.0668
        glasshouse-garden|Glasshouse Garden|Orchid Walk 20|59.3127|18.0615
        ropewalk-theatre|Ropewalk Theatre|Ropewalk 40|59.3312|18.0741
        kite-meadow|Kite Meadow|Windward Green|59.3080|18.0826
        clockmakers-yard|Clockmakers' Yard|Pendulum Street 9|59.3224|18.0487
        museum-of-weather|Museum of Weather|Barometer Quay 2|59.3269|18.1012
        """)

    private static func rows(_ lines: String) -> [Place] {
        Catalogue.rows(lines).map {
            Place(
                id: $0[0], name: $0[1], address: $0[2], latitude: Double($0[3]) ?? 0,
                longitude: Double($0[4]) ?? 0)
        }
    }
}

/// A way to ride, as `GET /ride-options?latitude=&longitude=` answers (an array; 400 without
/// numbers). Prices depend on the place a little, and are the same for the same place.
///
///     {"id":"tandem","name":"Tandem","note":"You pedal too.","seats":1,"priceCents":420,
///      "currency":"EUR","pictures":{"x1":"/pictures/rides/tandem@1x.svg",
///      "x2":"/pictures/rides/tandem@2x.svg","x3":"/pictures/rides/tandem@3x.svg"}}
private struct RideOption: Encodable {
    var id: String
    var name: String
    var note: String
    var seats: Int
    var priceCents: Int
    var currency = "EUR"
    var pictures: Pictures

    /// The same drawing for screens of one, two and three pixels a point.
    struct Pictures: Encodable {
        var x1: String
        var x2: String
        var x3: String
    }

    /// The options at a place. The price rises by up to a quarter with the place's coordinates.
    static func all(latitude: Double, longitude: Double) -> [RideOption] {
        let step = Int((abs(latitude) + abs(longitude)) * 10_000) % 26
        return [
            ("tandem", "Tandem", "You pedal too.", 1, 420),
            ("pebble", "Pebble", "Small, round and electric.", 3, 910),
            ("longboat", "Longboat", "Room for the whole band.", 7, 1_680),
        ].map { id, name, note, seats, cents in
            func picture(_ scale: Int) -> String { "/pictures/rides/\(id)@\(scale)x.svg" }
            return RideOption(
                id: id, name: name, note: note, seats: seats,
                priceCents: cents * (100 + step) / 100,
                pictures: Pictures(x1: picture(1), x2: picture(2), x3: picture(3)))
        }
    }
}

/// The body of `POST /rides`, which is answered by 201 and `{"id":"ride-1","optionID":"tandem"}`.
/// An unknown option is refused with 422.
///
///     {"optionID":"tandem","pickup":{"latitude":59.3251,"longitude":18.0711},
///      "dropoff":{"latitude":59.3301,"longitude":18.0590}}
private struct RideRequest: Decodable {
    var optionID: String
    var pickup: [String: Double]
    var dropoff: [String: Double]
}

/// The resources of the Rides application: accounts, location, places, options, rides.
struct RidesAPI {
    private var accounts: Accounts
    private var rideCount = 0

    /// The seed makes tokens that differ between mocks and not between runs.
    init(seed: UInt64) {
        accounts = Accounts(seed: seed)
    }

    mutating func answer(_ request: MockRequest) throws(MockAnswer) -> MockAnswer {
        switch (request.method, request.path) {
        case ("POST", "/login"): return try accounts.login(authorization: request.authorization)
        case ("POST", "/sign-up"): return try accounts.signUp(request)
        case ("GET", "/location"): return .json(City.here)
        case ("GET", "/places"): return places(query: request.query["query"] ?? "")
        case ("GET", "/ride-options"): return try options(request)
        case ("POST", "/rides"): return try order(request)
        case (_, "/login"), (_, "/sign-up"), (_, "/rides"): throw .notAllowed("POST")
        case (_, "/location"), (_, "/places"), (_, "/ride-options"): throw .notAllowed("GET, HEAD")
        default: throw .unknown("resource \(request.path)")
        }
    }

    private func places(query: String) -> MockAnswer {
        let wanted = query.lowercased()
        return .json(
            City.places.filter {
                wanted.isEmpty || $0.name.lowercased().contains(wanted)
                    || $0.address.lowercased().contains(wanted)
            })
    }

    private func options(_ request: MockRequest) throws(MockAnswer) -> MockAnswer {
        guard let latitude = request.query["latitude"].flatMap(Double.init),
            let longitude = request.query["longitude"].flatMap(Double.init),
            (-90...90).contains(latitude), (-180...180).contains(longitude)
        else { throw .problem(400, "bad-place", "?latitude=&longitude= with numbers.") }
        return .json(Fleet.options(latitude: latitude, longitude: longitude))
    }

    private mutating func order(_ request: MockRequest) throws(MockAnswer) -> MockAnswer {
        let ride: RideRequest = try request.decodeBody("A ride is {\"optionID\":…,…}")
        guard Fleet.has(ride.optionID) else {
            throw .problem(422, "unknown-option", "There is no option \(ride.optionID).")
        }
        rideCount += 1
        return .json(RideReceipt(id: "ride-\(rideCount)", optionID: ride.optionID), status: 201)
    }
}

internal import FoundationEssentials
internal import StateCoding

/// The resources of the Rides application: accounts, location, places, options, rides.
struct RidesAPI {
    private var accounts: Accounts
    private var rideCount = 0

    /// The seed makes tokens that differ between mocks and not between runs.
    init(seed: UInt64) {
        accounts = Accounts(seed: seed)
    }

    mutating func answer(_ request: MockRequest) -> MockAnswer {
        switch (request.method, request.path) {
        case ("POST", "/login"): return accounts.login(authorization: request.authorization)
        case ("POST", "/sign-up"): return accounts.signUp(request.body)
        case ("GET", "/location"): return .json(City.here)
        case ("GET", "/places"): return places(query: request.query["query"] ?? "")
        case ("GET", "/ride-options"): return options(request)
        case ("POST", "/rides"): return order(request.body)
        case (_, "/login"), (_, "/sign-up"), (_, "/rides"): return .notAllowed("POST")
        case (_, "/location"), (_, "/places"), (_, "/ride-options"):
            return .notAllowed("GET, HEAD")
        default: return .unknown("resource \(request.path)")
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

    private func options(_ request: MockRequest) -> MockAnswer {
        guard let latitude = request.query["latitude"].flatMap(Double.init),
            let longitude = request.query["longitude"].flatMap(Double.init),
            (-90...90).contains(latitude), (-180...180).contains(longitude)
        else { return .problem(400, "bad-place", "?latitude=&longitude= with numbers.") }
        return .json(Fleet.options(latitude: latitude, longitude: longitude))
    }

    private mutating func order(_ body: [UInt8]) -> MockAnswer {
        let ride: RideRequest
        do {
            ride = try StateDecoder().decode(RideRequest.self, from: body.span)
        } catch {
            return .problem(400, "bad-body", "A ride is {\"optionID\":…,…}: \(error)")
        }
        guard Fleet.has(ride.optionID) else {
            return .problem(422, "unknown-option", "There is no option \(ride.optionID).")
        }
        rideCount += 1
        return .json(RideReceipt(id: "ride-\(rideCount)", optionID: ride.optionID), status: 201)
    }
}

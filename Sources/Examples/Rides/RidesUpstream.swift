import FoundationEssentials
public import HTTPClient
public import RidesModel
public import Statecast

/// The requests that the application makes of the outside API; tests put their own closures in.
public struct RidesUpstream: Sendable {
    /// Signs in a person who has an account.
    public var login:
        @Sendable (_ email: String, _ password: Secret<String>) async throws -> UserSession
    /// Makes an account for a person, and signs them in.
    public var signUp:
        @Sendable (_ user: UserProfile, _ password: Secret<String>) async throws -> UserSession
    /// The place where the person is.
    public var location: @Sendable () async throws -> Coordinate
    /// The places whose name or address holds the text.
    public var places: @Sendable (_ query: String) async throws -> [Place]
    /// The options that are offered at a place.
    public var options: @Sendable (_ pickup: Coordinate) async throws -> [RideOption]
    public var order: @Sendable (RideOrder) async throws -> Done
}

extension RidesUpstream {
    /// The outside API at `base`, over HTTP; options are fetched once for each pickup place.
    public init(client: OutboundClient, base: String) {
        let (api, cache) = (JSONUpstream(client: client, base: base), OptionsCache())
        self.init(
            login: { email, password in
                let credentials = Data("\(email):\(password.value)".utf8).base64EncodedString()
                return try await api.post(
                    Done(), to: "login", authorization: "Basic \(credentials)")
            },
            signUp: { user, password in
                // The outside API gets the password in clear text.
                let body = [
                    "fullName": user.fullName, "nickname": user.nickname, "email": user.email,
                    "mobileNumber": user.mobileNumber, "password": password.value,
                ]
                return try await api.post(body, to: "sign-up")
            },
            location: { try await api.get("location") },
            places: { try await api.get("places", query: ["query": $0]) },
            options: { pickup in
                try await cache.options(at: pickup) {
                    let (latitude, longitude) = ("\(pickup.latitude)", "\(pickup.longitude)")
                    return try await api.get(
                        "ride-options", query: ["latitude": latitude, "longitude": longitude])
                }
            },
            order: { try await api.post($0, to: "rides") })
    }
}

/// The parts of a ride that the outside API is told.
public struct RideOrder: Encodable, Equatable, Sendable {
    public let optionID: String
    public let pickup: Coordinate
    public let dropoff: Coordinate
}

/// The options of the places that were asked for last.
private actor OptionsCache {
    private static let limit = 100
    private var entries: [(pickup: Coordinate, options: [RideOption])] = []

    func options(
        at pickup: Coordinate, fetch: () async throws -> [RideOption]
    ) async throws -> [RideOption] {
        if let known = entries.first(where: { $0.pickup == pickup }) { return known.options }
        let options = try await fetch()
        if entries.count == Self.limit { entries.removeFirst() }
        entries.append((pickup, options))
        return options
    }
}

import FoundationEssentials
package import HTTPClient
import OutsideAPI
public import Statecast

/// What the application asks of the outside API; tests put their own closures in.
public struct RidesUpstream: Sendable {
    /// Signs in somebody who is known.
    public var login:
        @Sendable (_ email: String, _ password: Secret<String>) async throws -> UserSession
    /// Signs in somebody new.
    public var signUp:
        @Sendable (_ user: UserProfile, _ password: Secret<String>) async throws -> UserSession
    /// Where the person is.
    public var location: @Sendable () async throws -> Coordinate
    /// Places whose name or address holds the text.
    public var places: @Sendable (_ query: String) async throws -> [Place]
    /// What is offered at a place.
    public var options: @Sendable (_ pickup: Coordinate) async throws -> [RideOption]
    /// Orders a ride.
    public var order: @Sendable (_ waypoints: Waypoints, _ optionID: String) async throws -> Void
    private var owned: (@Sendable (_ owner: String) -> RidesUpstream)?

    /// An outside API made of closures.
    public init(
        login: @escaping @Sendable (String, Secret<String>) async throws -> UserSession,
        signUp: @escaping @Sendable (UserProfile, Secret<String>) async throws -> UserSession,
        location: @escaping @Sendable () async throws -> Coordinate,
        places: @escaping @Sendable (String) async throws -> [Place],
        options: @escaping @Sendable (Coordinate) async throws -> [RideOption],
        order: @escaping @Sendable (Waypoints, String) async throws -> Void
    ) {
        self.login = login
        self.signUp = signUp
        self.location = location
        self.places = places
        self.options = options
        self.order = order
    }

    /// The outside API at `base`, over HTTP; options are fetched once for each pickup place.
    package init(client: OutboundClient, base: String) {
        self.init(api: JSONUpstream(client: client, base: base), cache: OptionsCache())
    }

    private init(api: JSONUpstream, cache: OptionsCache) {
        self.init(
            login: { email, password in
                let credentials = Data("\(email):\(password.value)".utf8).base64EncodedString()
                let answer: LoginAnswer = try await api.post(
                    UpstreamPath("login"), Nothing(), authorization: "Basic \(credentials)")
                return answer.session
            },
            signUp: { user, password in
                let answer: LoginAnswer = try await api.post(
                    UpstreamPath("sign-up"), SignUpBody(user: user, password: password.value))
                return answer.session
            },
            location: {
                let place: Place = try await api.get(UpstreamPath("location"))
                return place.coordinate
            },
            places: { try await api.get(UpstreamPath("places", query: ["query": $0])) },
            options: { pickup in
                try await cache.options(at: pickup) {
                    try await api.get(
                        UpstreamPath(
                            "ride-options",
                            query: [
                                "latitude": "\(pickup.latitude)",
                                "longitude": "\(pickup.longitude)",
                            ]))
                }
            },
            order: { waypoints, optionID in
                let _: Receipt = try await api.post(
                    UpstreamPath("rides"),
                    RideBody(
                        optionID: optionID, pickup: waypoints.pickup,
                        dropoff: waypoints.dropoff.coordinate))
            })
        owned = { RidesUpstream(api: api.asked(for: $0), cache: cache) }
    }

    /// The same outside API, asked for a session, which has its share of the client's transfers.
    func asked(for session: SessionID) -> RidesUpstream {
        owned?("rides/\(session)") ?? self
    }

    private struct Nothing: Encodable {}

    private struct LoginAnswer: Decodable {
        var token: Secret<String>
        var user: UserProfile

        var session: UserSession { UserSession(user: user, token: token) }
    }

    /// Leaves for the outside API only, so the password stands here in the clear.
    private struct SignUpBody: Encodable {
        var fullName: String
        var nickname: String
        var email: String
        var mobileNumber: String
        var password: String

        init(user: UserProfile, password: String) {
            fullName = user.fullName
            nickname = user.nickname
            email = user.email
            mobileNumber = user.mobileNumber
            self.password = password
        }
    }

    private struct RideBody: Encodable {
        var optionID: String
        var pickup: Coordinate
        var dropoff: Coordinate
    }

    private struct Receipt: Decodable {
        var id: String
    }
}

/// Who is signed in, with the token that proves it; kept on the server, never in the state.
public struct UserSession: Equatable, Sendable {
    /// The person.
    public var user: UserProfile
    /// What the outside API gave for the password.
    public var token: Secret<String>

    /// A session of a person.
    public init(user: UserProfile, token: Secret<String>) {
        self.user = user
        self.token = token
    }
}

/// What is offered at the places that were asked for last.
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

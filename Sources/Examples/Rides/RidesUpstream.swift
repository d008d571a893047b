import FoundationEssentials
package import HTTPClient
import OutsideAPI
package import RidesModel
package import Statecast

/// The requests that the application makes of the outside API; tests put their own closures in.
package struct RidesUpstream: Sendable {
    /// Signs in a person who has an account.
    package var login:
        @Sendable (_ email: String, _ password: Secret<String>) async throws -> UserSession
    /// Makes an account for a person, and signs them in.
    package var signUp:
        @Sendable (_ user: UserProfile, _ password: Secret<String>) async throws -> UserSession
    /// The place where the person is.
    package var location: @Sendable () async throws -> Coordinate
    /// The places whose name or address holds the text.
    package var places: @Sendable (_ query: String) async throws -> [Place]
    /// The options that are offered at a place.
    package var options: @Sendable (_ pickup: Coordinate) async throws -> [RideOption]
    package var order: @Sendable (_ waypoints: Waypoints, _ optionID: String) async throws -> Void
    /// The same requests for an owner; nil where they count for nobody.
    var owned: (@Sendable (_ owner: String) -> RidesUpstream)?
}

extension RidesUpstream {
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

    /// The body of a request to the outside API, which gets the password in clear text.
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

/// The person who is signed in, with the token that proves it; it stays on the server, never in the
/// state.
package struct UserSession: Equatable, Sendable {
    package var user: UserProfile
    /// The outside API gave it for the password.
    package var token: Secret<String>
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

@testable import Rides
@testable import RidesModel
import Statecast

/// Values that the tests of Rides share, and outside APIs made of them.
enum RidesWorld {
    static let user = UserProfile(
        fullName: "Rosa Lindqvist", nickname: "Rosa", email: "rosa@example.com",
        mobileNumber: "1")
    static let here = Coordinate(latitude: 59, longitude: 18)
    static let place = Place(
        id: "p1", name: "Market", address: "Ropewalk 12", coordinate: here)
    static let problem = Problem("no", "Not now.")
    static let saved = UserSession(user: user, token: Secret("token-of-rosa"))
    static let signIn = RidesAction.signIn(
        .submitted(email: "rosa@example.com", password: Secret("open-sesame")))
    static let signUp = RidesAction.signUp(
        .submitted(
            fullName: "Rosa Lindqvist", nickname: "Rosa", email: "rosa@example.com",
            mobileNumber: "1", password: Secret("open-sesame")))

    static func option(_ id: String) throws -> RideOption {
        var bytes = Array(#"{"id":"\#(id)","name":"Tandem","note":"","seats":1,"#.utf8)
        bytes += Array(#""priceCents":1,"currency":"EUR","pictures":"#.utf8)
        bytes += Array(#"{"x1":"/1","x2":"/2","x3":"/3"}}"#.utf8)
        return try StateDecoder().decode(RideOption.self, from: bytes.span)
    }
}

extension RidesUpstream {
    /// An outside API that never answers.
    static var silent: RidesUpstream {
        RidesUpstream(
            login: { _, _ in throw CancellationError() },
            signUp: { _, _ in throw CancellationError() },
            location: { throw CancellationError() }, places: { _ in throw CancellationError() },
            options: { _ in throw CancellationError() },
            order: { _ in throw CancellationError() })
    }

    /// An outside API that answers every call well; what `call` throws fails it, and what it
    /// waits for holds it back.
    static func answering(
        _ call: @escaping @Sendable (_ name: String) async throws -> Void = { _ in }
    ) throws -> RidesUpstream {
        let option = try RidesWorld.option("o1")
        return RidesUpstream(
            login: { _, _ in
                try await call("login")
                return RidesWorld.saved
            },
            signUp: { user, _ in
                try await call("sign-up")
                return UserSession(user: user, token: Secret("token-of-new"))
            },
            location: {
                try await call("location")
                return RidesWorld.here
            },
            places: { query in
                try await call("places:\(query)")
                let name = query.isEmpty ? "Market" : query
                return [
                    Place(
                        id: query.isEmpty ? "p1" : query, name: name, address: "",
                        coordinate: RidesWorld.here)
                ]
            },
            options: { _ in
                try await call("options")
                return [option]
            },
            order: { _ in
                try await call("order")
                return Done()
            })
    }
}

/// A user session store that counts what it is asked, and fails as often as it is told.
actor ScriptedUserSessions {
    struct Refusal: Error {}

    private(set) var kept: UserSession?
    private(set) var loads = 0
    private(set) var saves = 0
    private(set) var deletions = 0
    private var failingLoads = 0
    private var failingSaves = 0
    private var failingDeletions = 0

    init(kept: UserSession? = nil, loads: Int = 0, saves: Int = 0, deletions: Int = 0) {
        self.kept = kept
        failingLoads = loads
        failingSaves = saves
        failingDeletions = deletions
    }

    nonisolated var store: UserSessions {
        UserSessions(
            load: { _ in try await self.load() }, save: { user, _ in try await self.save(user) },
            delete: { _ in try await self.delete() })
    }

    private func load() throws -> UserSession? {
        loads += 1
        guard loads > failingLoads else { throw Refusal() }
        return kept
    }

    private func save(_ session: UserSession) throws {
        saves += 1
        guard saves > failingSaves else { throw Refusal() }
        kept = session
    }

    private func delete() throws {
        deletions += 1
        guard deletions > failingDeletions else { throw Refusal() }
        kept = nil
    }
}

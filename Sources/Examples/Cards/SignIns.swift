import CardsModel
package import Statecast
import Synchronization

/// The people who have signed in, by their cookies: access control reads them, a file keeps them.
package final class SignIns: Sendable {
    /// One person in one browser.
    package struct SignIn: Codable, Sendable {
        /// 128 random bits as 32 hexadecimal digits: a client that has it acts as the person.
        package let cookie: String
        /// `Alice#3f9c21ab`
        package let id: String

        /// The person as sessions know them.
        package var principal: Principal { Principal(id, roles: ["act", "observe"]) }
    }

    /// So many are kept; the oldest makes room.
    package static let limit = 2_000

    private let list: Mutex<[SignIn]>
    private let file: SignInFile

    /// Takes up the sign-ins that are kept.
    package init(keptIn values: SavedValues<[SignIn]>) async throws {
        file = SignInFile(values)
        list = Mutex(try await file.read())
    }

    /// The person whose browser has a cookie.
    package func find(_ cookie: String) -> Principal? {
        list.withLock { $0.first { $0.cookie == cookie } }?.principal
    }

    /// Signs a person in, with a cookie that is new.
    package func add(named name: String) async throws -> SignIn {
        let number = Self.randomDigits(UInt64.random(in: 0...UInt64(UInt32.max)), count: 8)
        let signIn = SignIn(
            cookie: Self.randomDigits(.random(in: .min ... .max), count: 16)
                + Self.randomDigits(.random(in: .min ... .max), count: 16),
            id: Principal(named: name, number: number, roles: []).id)
        list.withLock { list in
            list.append(signIn)
            list.removeFirst(max(0, list.count - Self.limit))
        }
        try await keep()
        return signIn
    }

    /// Forgets a cookie; the person whose it was.
    package func remove(_ cookie: String) async throws -> Principal? {
        let removed = list.withLock { list in
            list.firstIndex { $0.cookie == cookie }.map { list.remove(at: $0) }
        }
        if removed != nil { try await keep() }
        return removed?.principal
    }

    private func keep() async throws {
        try await file.write { list.withLock { $0 } }
    }

    private static func randomDigits(_ bits: UInt64, count: Int) -> String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: count - digits.count) + digits
    }
}

/// The file of all sign-ins. Each write takes the list when its turn comes, so that the newest stays.
private actor SignInFile {
    private static let key = "sign-ins"
    private let values: SavedValues<[SignIns.SignIn]>

    init(_ values: SavedValues<[SignIns.SignIn]>) {
        self.values = values
    }

    func read() async throws -> [SignIns.SignIn] { try await values.load(Self.key) ?? [] }

    func write(_ list: @Sendable () -> [SignIns.SignIn]) async throws {
        try await values.save(list(), under: Self.key)
    }
}

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
        /// The person knew the token of a moderator; nil for others.
        var isModerator: Bool?
    }

    /// So many are kept; the oldest makes room.
    package static let limit = 2_000

    /// The names that take a token, which is new with each start: nobody else signs in by them.
    package let moderators: [String: String]
    /// By the first half of the cookie. It tells which sign-in is meant, and the other half is the
    /// secret: it alone is compared, in a time that tells nothing of it.
    private let kept = Mutex(
        (signIns: [Substring: (number: Int, signIn: SignIn)](), lastNumber: 0))
    private let file: SignInFile

    /// Takes up the sign-ins that are kept.
    ///
    /// - Parameter moderators: the names of those who may inspect.
    package init(
        keptIn values: SavedValues<[SignIn]>, moderators: [String] = []
    ) async throws {
        file = SignInFile(values)
        self.moderators = Dictionary(
            moderators.map { ($0, Self.randomDigits(32)) }, uniquingKeysWith: { first, _ in first })
        for signIn in try await file.read() { keep(signIn) }
    }

    /// Keeps a sign-in, in place of the oldest one where there are many.
    private func keep(_ signIn: SignIn) {
        kept.withLock { kept in
            kept.lastNumber += 1
            kept.signIns[signIn.cookie.prefix(16)] = (kept.lastNumber, signIn)
            guard kept.signIns.count > Self.limit,
                let oldest = kept.signIns.min(by: { $0.value.number < $1.value.number })
            else { return }
            kept.signIns[oldest.key] = nil
        }
    }

    /// The person whose browser has a cookie.
    package func find(_ cookie: String) -> Principal? {
        let found = kept.withLock { $0.signIns[cookie.prefix(16)]?.signIn }
        guard let found, Self.isEqual(found.cookie, cookie) else { return nil }
        return principal(of: found)
    }

    /// The person as sessions know them. A moderator whom this start does not name is one no more.
    package func principal(of signIn: SignIn) -> Principal {
        let person = Principal(signIn.id)
        let moderates = signIn.isModerator == true && moderators[person.shownName] != nil
        return Principal(
            signIn.id, roles: moderates ? ["act", "inspect", "observe"] : ["act", "observe"])
    }

    /// Signs a person in, with a cookie that is new. Throws where the name is a moderator's, and the
    /// token is not.
    package func add(named name: String, token: String? = nil) async throws -> SignIn {
        let expected = moderators[name]
        if let expected, !Self.isEqual(expected, token ?? "") { throw Rejection.moderatorsName }
        let signIn = SignIn(
            cookie: Self.randomDigits(32),
            id: Principal(named: name, number: Self.randomDigits(8), roles: []).id,
            isModerator: expected == nil ? nil : true)
        keep(signIn)
        try await writeFile()
        return signIn
    }

    /// Forgets a cookie; the person whose it was.
    package func remove(_ cookie: String) async throws -> Principal? {
        guard let person = find(cookie) else { return nil }
        kept.withLock { $0.signIns[cookie.prefix(16)] = nil }
        try await writeFile()
        return person
    }

    private func writeFile() async throws {
        try await file.write {
            kept.withLock { $0.signIns.values.sorted { $0.number < $1.number }.map(\.signIn) }
        }
    }

    /// Every byte is compared, whichever differs first.
    private static func isEqual(_ one: String, _ other: String) -> Bool {
        guard one.utf8.count == other.utf8.count else { return false }
        return zip(one.utf8, other.utf8).reduce(0) { $0 | $1.0 ^ $1.1 } == 0
    }

    private static func randomDigits(_ count: Int) -> String {
        (0..<count).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
    }
}

extension Rejection {
    fileprivate static let moderatorsName = Rejection(
        "moderators-name", "This name takes the token that the server printed when it started.",
        kind: .forbidden, field: "name")
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

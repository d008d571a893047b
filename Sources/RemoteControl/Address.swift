import ArgumentParser
import Redux

/// The place of an application or of a session, as somebody types it: `localhost:8080/counter`,
/// `https://example.org/list/sessions/home`.
struct Address: Sendable, Hashable {
    /// `http://localhost:8080`.
    private let origin: String
    /// `localhost`, `[::1]`.
    let host: String
    /// `/counter`; empty where the application is at the root.
    let path: String
    /// The session's id, where the address is one's.
    private(set) var session: String?

    init(parsing text: String) throws(ValidationError) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw ValidationError("A URL has no spaces, and ASCII alone.")
        }
        let colon = text.firstRange(of: "://")
        let rest = colon.map { text[$0.upperBound...] } ?? text[...]
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else {
            throw ValidationError(
                "A password in a URL stays in the shell's history: use --header @FILE.")
        }
        guard !rest.contains(where: { "?#%".contains($0) }) else {
            throw ValidationError(
                "The URL is that of a session or an application, without a query.")
        }
        let isLiteral = authority.hasPrefix("[")
        host =
            isLiteral
            ? authority.prefix { $0 != "]" } + "]" : String(authority.prefix { $0 != ":" })
        let port = authority.dropFirst(host.count)
        guard host.count > (isLiteral ? 2 : 0), authority.hasPrefix(host),
            port.isEmpty || port.first == ":" && UInt16(port.dropFirst()) != nil
        else {
            throw ValidationError("A URL is like http://localhost:8080/counter/sessions/demo.")
        }
        let scheme = colon.map { text[..<$0.lowerBound].lowercased() }
        guard ["http", "https", nil].contains(scheme) else {
            throw ValidationError("A URL begins with http:// or https://.")
        }
        origin = "\(scheme ?? (Self.isLoopback(host) ? "http" : "https"))://\(authority)"
        let segments = rest.dropFirst(authority.count).split(separator: "/").map(String.init)
        let place = segments.lastIndex(of: "sessions") ?? segments.endIndex
        path = segments[..<place].map { "/" + $0 }.joined()
        switch segments.dropFirst(place + 1).count {
        case 0: session = nil
        case 1: session = try Self.id(segments[place + 1])
        default: throw ValidationError("A session's URL ends with its id: …/sessions/demo.")
        }
    }

    /// The session of this name, of an application.
    mutating func choose(_ name: String) throws(ValidationError) {
        guard session == nil else {
            throw ValidationError("The URL names a session already: leave --session out.")
        }
        session = try Self.id(name)
    }

    private static func id(_ text: String) throws(ValidationError) -> String {
        guard SessionID(text) != nil else {
            throw ValidationError("A session's id is 1 to 128 of A-Z a-z 0-9 . _ ~ -")
        }
        return text
    }

    /// The sessions of the application.
    var sessions: String { "\(origin)\(path)/sessions" }

    /// The session's URL.
    func ofSession() throws(ValidationError) -> String {
        guard let session else {
            throw ValidationError("Say which session: …/sessions/ID, or --session ID.")
        }
        return "\(sessions)/\(session)"
    }

    /// What is sent can be read by nobody on the way.
    var isPrivate: Bool { origin.hasPrefix("https:") || Self.isLoopback(host) }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
            || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
    }
}

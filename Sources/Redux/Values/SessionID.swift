/// Names one session of an application: 1 to 128 characters of `A–Z a–z 0–9 . _ ~ -`, but not `.`
/// or `..`.
public struct SessionID: Sendable, Hashable, CustomStringConvertible {
    /// The characters.
    public let description: String

    /// An id; nil where the text is none.
    public init?(_ text: some StringProtocol) {
        guard Self.isValid(text.utf8) else { return nil }
        description = String(text)
    }

    package init(valid bytes: [UInt8]) {
        description = String(decoding: bytes, as: UTF8.self)
    }

    package static func isValid(_ bytes: some Collection<UInt8>) -> Bool {
        (1...128).contains(bytes.count) && bytes.allSatisfy(isAllowed)
            && !(bytes.count <= 2 && bytes.allSatisfy { $0 == UInt8(ascii: ".") })
    }

    package static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// An id that no client can guess, or any other token: 128 random bits as 32 hexadecimal digits.
    public static func random() -> SessionID {
        let digits = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
            .map { String($0, radix: 16) }
            .map { String(repeating: "0", count: 16 - $0.count) + $0 }
        return SessionID(valid: Array(digits.joined().utf8))
    }

    /// The session of a store that belongs to no server.
    package static let local = SessionID(valid: Array("local".utf8))
}

/// The events in the life of a session that the server itself tells its application.
///
///     enum Action: ActionGroup { case added(name: String), session(SessionFact) }
///
/// A case that carries it, unlabelled and alone, asks to be told; one case of an application may.
/// Each fact is an entry like any other, said by the server, at most one a second. A fact that
/// changes nothing leaves no entry.
public enum SessionFact: FactGroup {
    /// The session has come back, from a journal or after a restart: no client watches it yet.
    case restored
    /// Principals watch the session that did not before, as the first stream of each is open; and others
    /// have had none for ten seconds (`SessionLimits.absenceDuration`). A thousand in all at most, in
    /// the order in which they came and left; of more the next fact tells.
    case watchersChanged(came: [Principal], left: [Principal])
}

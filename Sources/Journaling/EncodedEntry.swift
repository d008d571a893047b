public import Redux
import StateCoding

/// One entry as bytes: as a journal keeps it, and as a session's log shows it.
public struct EncodedEntry: Sendable, Hashable {
    /// What an entry takes beside its bytes, about.
    public static let overhead = 96

    /// The version of the state, or of the entry.
    public var version: UInt64
    /// The time at which it was decided; never before the entry before it.
    public var at: Timestamp
    /// A JSON object of everything but version, time and patch; secrets read `"<redacted>"`:
    /// `{"origin":"client","key":"8e03","action":{"type":"reset"}}`.
    public var head: [UInt8]
    /// The print of the body of the request that has the key, and of its client. It is shown to nobody:
    /// what a secret is could be found by trying.
    public var print: UInt128?
    /// The patch (RFC 6902) from the state before to the state after, secrets read `"<redacted>"`; nil
    /// where nothing changed, and on all entries of a batch but the last.
    public var patch: [UInt8]?
    /// The patch that follows it and sets the secrets; nil where none has changed.
    public var secrets: Secret<[UInt8]>?
    /// The state behind it was visible: it is no entry inside of a batch.
    public var isLast: Bool

    /// Says all of it.
    public init(
        version: UInt64, at: Timestamp, head: [UInt8], print: UInt128? = nil, patch: [UInt8]?,
        secrets: Secret<[UInt8]>? = nil, isLast: Bool = true
    ) {
        self.version = version
        self.at = at
        self.head = head
        self.print = print
        self.patch = patch
        self.secrets = secrets
        self.isLast = isLast
    }

    /// The most bytes, or the bytes that it takes, about.
    public var byteCount: Int { head.count + (patch?.count ?? 0) + Self.overhead }

    /// The head on one line: earlier builds have kept `meta` as it was posted.
    package var headLine: [UInt8] {
        head.contains { $0 == 0x0A || $0 == 0x0D } ? JSONText.compact(head.span) : head
    }

    /// The patch that sets all of a state.
    public static func replacement(by json: [UInt8]) -> [UInt8] {
        Array(#"[{"op":"replace","path":"","value":"#.utf8) + json + Array("}]".utf8)
    }

    /// The entry as it may be shown.
    public var withoutSecrets: EncodedEntry {
        var entry = self
        entry.print = nil
        entry.secrets = nil
        return entry
    }
}

import Bytes
import Redux

/// What a placeholder stands for in the text of a form.
///
///     {"name":"Ada","password":␀,"items":␀}
///     .secret("\"open sesame\""), .collection(the node of "items")
enum FormHole {
    /// A collection that is kept by itself.
    case collection(FormNode)
    /// A secret's own JSON; `"<redacted>"` is shown in its place.
    case secret(Secret<[UInt8]>)

    /// The JSON that is shown for any secret.
    private static let redacted = Array("\"\(Secret<[UInt8]>.redacted)\"".utf8)

    /// The first byte of what is shown.
    var opening: UInt8 {
        switch self {
        case .collection(let node): node.opening
        case .secret: UInt8(ascii: "\"")
        }
    }

    /// The number of bytes of what is shown.
    var byteCount: Int {
        switch self {
        case .collection(let node): node.byteCount
        case .secret: Self.redacted.count
        }
    }

    /// It is a secret.
    var isSecret: Bool {
        guard case .secret = self else { return false }
        return true
    }

    /// The memory that it takes.
    var heldByteCount: Int {
        switch self {
        case .collection(let node): node.heldByteCount
        case .secret(let json): json.value.count + 32
        }
    }

    /// It is a secret, or holds one.
    var holdsSecrets: Bool {
        switch self {
        case .collection(let node): node.holdsSecrets
        case .secret: true
        }
    }

    /// Appends what is shown, or, where secrets are opened, their own JSON.
    func append(to output: inout [UInt8], opening secrets: Bool) {
        switch self {
        case .collection(let node): node.append(to: &output, opening: secrets)
        case .secret(let json): output.append(copying: (secrets ? json.value : Self.redacted).span)
        }
    }

    /// Both are shown as the same text.
    func isEqual(to other: FormHole) -> Bool {
        switch (self, other) {
        case (.collection(let node), .collection(let other)):
            node === other || node.isEqual(to: other)
        case (.secret, .secret): true
        case (.collection, .secret), (.secret, .collection): false
        }
    }

    /// Both hold the same secrets, as far as that is known without looking into them: what is shown
    /// is equal.
    func hasSameSecrets(as other: FormHole) -> Bool {
        switch (self, other) {
        case (.collection(let node), .collection(let other)):
            node === other || !node.holdsSecrets && !other.holdsSecrets
        case (.secret(let json), .secret(let other)): json == other
        case (.collection, .secret), (.secret, .collection): false
        }
    }
}

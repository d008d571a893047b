package import StateCoding

/// The identity of a projection, as bytes: two selections or two sets of a view's arguments have
/// one key only if every character of them is the same.
package struct ProjectionKey: Sendable, Hashable {
    private let bytes: [UInt8]

    /// The whole state.
    package static let whole = ProjectionKey([])

    /// The part of the state that a pointer names.
    package static func part(_ pointer: JSONPointer) -> ProjectionKey {
        ProjectionKey(["select"] + pointer.tokens)
    }

    /// A view with its arguments.
    package static func view(_ name: String, _ arguments: [String: String]) -> ProjectionKey {
        let sorted = arguments.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return ProjectionKey(["view", name] + sorted.flatMap { [$0.key, $0.value] })
    }

    /// Each text with its length before it, so that no two lists come to the same bytes.
    private init(_ texts: [String]) {
        var bytes: [UInt8] = []
        for text in texts {
            Token.append(UInt64(text.utf8.count), to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(contentsOf: text.utf8)
        }
        self.bytes = bytes
    }

    /// The part of ids and ETags behind the token, `.x7`; empty for the whole state. It tells
    /// projections apart by a hash that no client can foresee.
    var suffix: String {
        guard self != .whole else { return "" }
        var hasher = Hasher()
        hasher.combine(self)
        return "." + String(UInt64(bitPattern: Int64(hasher.finalize())), radix: 36)
    }
}

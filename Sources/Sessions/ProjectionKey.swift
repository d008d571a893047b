package import StateCoding

/// The identity of a projection, as bytes: two selections have one key only if every character of them
/// is the same. Beside the bytes stands the class of viewers, to which a view's arguments belong as far
/// as the view asks for them.
package struct ProjectionKey: Sendable, Hashable {
    private let bytes: [UInt8]
    private let viewerClass: ViewerClass?

    /// The whole state.
    package static let whole = ProjectionKey([], nil)

    /// The part that a pointer names, of the state or of the view that stands for it.
    package static func part(_ pointer: JSONPointer, of base: ProjectionKey) -> ProjectionKey {
        let part = bytes(of: ["select"] + pointer.tokens)
        return ProjectionKey(base.bytes + part, base.viewerClass)
    }

    /// A view for a class of viewers.
    package static func view(_ view: ShownView) -> ProjectionKey {
        ProjectionKey(bytes(of: view.name.map { ["view", $0] } ?? ["state"]), view.viewerClass)
    }

    private init(_ bytes: [UInt8], _ viewerClass: ViewerClass?) {
        self.bytes = bytes
        self.viewerClass = viewerClass
    }

    /// Each text with its length before it, so that no two lists come to the same bytes.
    private static func bytes(of texts: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for text in texts {
            Token.append(UInt64(text.utf8.count), to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(contentsOf: text.utf8)
        }
        return bytes
    }

    /// The part of ids and ETags behind the token, `.x7`; empty for the whole state. It tells
    /// projections, and classes of viewers, apart by a hash that no client can foresee.
    var suffix: String {
        guard self != .whole else { return "" }
        var hasher = Hasher()
        hasher.combine(self)
        return "." + String(UInt64(bitPattern: Int64(hasher.finalize())), radix: 36)
    }
}

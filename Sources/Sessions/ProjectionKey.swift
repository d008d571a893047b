import Journaling
package import StateCoding

/// A view as a class of viewers is shown it.
package struct ShownView: Hashable, Sendable {
    /// The name in the query; nil for the view that stands for the state.
    package let name: String?
    /// Nil where the view is one for everybody.
    package let viewerClass: ViewerClass?

    package init(name: String?, viewerClass: ViewerClass? = nil) {
        self.name = name
        self.viewerClass = viewerClass
    }
}

/// The part of a session that a projection shows.
package enum ProjectionKind {
    /// The state as it is.
    case whole
    case view(ShownView)
    /// A part of the whole state, or of the view that stands for it.
    case part(JSONPointer, of: Projection)
    /// Nothing: one for all streams whose parts of a projection were not there when they began.
    case absence(of: Projection)

    /// What this is a part of.
    var base: Projection? {
        switch self {
        case .whole, .view: nil
        case .part(_, let base), .absence(let base): base
        }
    }

    /// The view, or that of which this is a part.
    package var view: ShownView? {
        if case .view(let view) = self { view } else { base?.kind.view }
    }

    /// The view, where the state decides who is shown it: it is one for a class whose viewers come and go.
    var changingView: ShownView? { view?.viewerClass?.isFixed ?? true ? nil : view }

    /// A projection of this kind can be without clients for a while, and have some again: a part of a
    /// view goes with its view.
    var canLinger: Bool {
        switch self {
        case .whole: false
        case .view: true
        case .part: view == nil
        case .absence: false
        }
    }
}

/// The identity of a projection, as bytes: two selections have one key only if every character of them
/// is the same. Beside the bytes stands the class of viewers, to which a view's arguments belong as far
/// as the view asks for them.
package struct ProjectionKey: Sendable, Hashable {
    /// Empty for the whole state.
    private let bytes: [UInt8]
    private let viewerClass: ViewerClass?

    package init(_ kind: ProjectionKind) {
        viewerClass = kind.view?.viewerClass
        bytes =
            switch kind {
            case .whole: []
            case .view(let view): Self.bytes(of: view.name.map { ["view", $0] } ?? ["state"])
            case .part(let pointer, let base):
                base.key.bytes + Self.bytes(of: ["select"] + pointer.tokens)
            case .absence(let base): base.key.bytes + Self.bytes(of: ["absence"])
            }
    }

    /// Each text with its length before it, so that no two lists come to the same bytes.
    static func bytes(of texts: [String]) -> [UInt8] {
        texts.flatMap { Array("\($0.utf8.count):\($0)".utf8) }
    }

    /// The part of ids and ETags behind the token, `.x7`; empty for the whole state. It tells
    /// projections, and classes of viewers, apart by the journal's hash, which no client can foresee.
    func suffix(by hash: KeyedHash?) -> String {
        guard let hash, !bytes.isEmpty else { return "" }
        let text = bytes + (viewerClass?.bytes ?? [])
        return "." + String(hash.number(of: text.span), radix: 36)
    }
}

/// An id of an event or an ETag as a client sends it back: a token, and for a part of the state or a
/// view the suffix that tells it from others.
package struct ProjectionTag: Sendable, Hashable {
    /// The version that the client has.
    package let token: Token
    /// The suffix with its dot; empty for the whole state.
    package let suffix: String

    /// Nil where the text is no such tag.
    package init?(_ text: some StringProtocol) {
        guard let token = Token(text) else { return nil }
        self.token = token
        suffix = String(text.drop { $0 != "." })
    }

    /// The version, where the tag is of an epoch and a suffix, and not of the future; nil otherwise.
    package func version(in epoch: String, _ suffix: String, through last: UInt64) -> UInt64? {
        token.epoch == epoch && self.suffix == suffix && token.version <= last
            ? token.version : nil
    }
}

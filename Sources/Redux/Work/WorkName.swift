/// The name of a piece of work: the application's own, within the scopes that parents have given it.
@usableFromInline
struct WorkName: Hashable, Sendable {
    @usableFromInline let own: WorkNamePart
    /// The scopes around it, the outermost first.
    @usableFromInline let scope: WorkScope?

    @inlinable init(_ name: some Hashable & Sendable) {
        own = WorkNamePart(name)
        scope = nil
    }

    @inlinable init(_ own: WorkNamePart, in scope: WorkScope) {
        self.own = own
        self.scope = scope
    }

    /// The name as text: its parts, joined by slashes, as in `post/id-1`.
    ///
    /// A slash within a part is written `~1` and a tilde `~0`, as in a JSON Pointer, so that two
    /// names of different parts are different texts.
    var text: String {
        var parts: [String] = []
        var next = scope
        while let scope = next {
            parts += scope.part.texts
            next = scope.inner
        }
        return (parts + own.texts).map(Self.escaped).joined(separator: "/")
    }

    private static func escaped(_ part: String) -> String {
        guard part.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "~") })
        else { return part }
        return part.reduce(into: "") { text, character in
            switch character {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.append(character)
            }
        }
    }
}

/// One part of the name of a piece of work. Texts, lists of texts and integers are compared without
/// a cast.
@usableFromInline
enum WorkNamePart: Hashable, Sendable {
    case text(String)
    case list([String])
    case number(Int)
    case other(any Hashable & Sendable)

    @inlinable init(_ name: some Hashable & Sendable) {
        if let text = name as? String {
            self = .text(text)
        } else if let list = name as? [String] {
            self = .list(list)
        } else if let number = name as? Int {
            self = .number(number)
        } else {
            self = .other(name)
        }
    }

    @usableFromInline
    static func == (left: WorkNamePart, right: WorkNamePart) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): left == right
        case (.list(let left), .list(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.other(let left), .other(let right)): isEqual(left, right)
        default: false
        }
    }

    private static func isEqual<Name: Hashable>(_ left: Name, _ right: any Hashable) -> Bool {
        right as? Name == left
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        switch self {
        case .text(let text): hasher.combine(text)
        case .list(let list): hasher.combine(list)
        case .number(let number): hasher.combine(number)
        case .other(let other): other.hash(into: &hasher)
        }
    }

    var texts: [String] {
        switch self {
        case .text(let text): [text]
        case .list(let list): list
        case .number(let number): [String(number)]
        case .other(let other): [String(describing: other)]
        }
    }
}

/// A scope that a parent has put around names of work; works that were mapped together share one.
@usableFromInline
final class WorkScope: Hashable, Sendable {
    @usableFromInline let part: WorkNamePart
    /// The scopes inside of this one.
    @usableFromInline let inner: WorkScope?

    @inlinable
    init(_ part: WorkNamePart, around inner: WorkScope?) {
        self.part = part
        self.inner = inner
    }

    @usableFromInline
    static func == (left: WorkScope, right: WorkScope) -> Bool {
        left === right || (left.part == right.part && left.inner == right.inner)
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        hasher.combine(part)
        hasher.combine(inner)
    }
}

/// Something that a source file declares.
struct Declaration {
    enum Kind: String {
        case `struct`, `enum`, `class`, `actor`, `protocol`
        case `extension`
        case function, initializer, deinitializer, `subscript`
        case variable
        case enumCase
        case `typealias`, `associatedtype`
    }

    let kind: Kind
    /// `dispatch`; of an extension what it extends, `Store.Index`.
    let name: String
    /// The types around it, as one name: `Store.Index`; empty at the top of a file.
    let scope: String
    /// `public`, `mutating`, `private`; `private(set)` counts as a word of its own.
    let modifiers: Set<String>
    /// `@main`, `@inlinable`.
    let attributes: Set<String>
    /// Of its keyword.
    let line: Int
    /// The lines from its first attribute or modifier to its last brace.
    var lines: ClosedRange<Int>
    /// The protocols and the class behind its colon, in words.
    var inherited: [String] = []
    /// Its tokens between its name and its body.
    var signature: Range<Int>
    /// Its tokens between the braces; nil without any.
    var body: Range<Int>?
    /// The declaration around it: an index of the file's declarations.
    let parent: Int?

    /// `Store.Index.next`
    var fullName: String { scope.isEmpty ? name : "\(scope).\(name)" }

    var isType: Bool {
        switch kind {
        case .struct, .enum, .class, .actor, .protocol: true
        default: false
        }
    }

    /// It is a type, or an extension of one.
    var holdsMembers: Bool { isType || kind == .extension }

    var isFunction: Bool {
        switch kind {
        case .function, .initializer, .deinitializer, .subscript: true
        default: false
        }
    }

    var isPublic: Bool { modifiers.contains("public") || modifiers.contains("open") }
}

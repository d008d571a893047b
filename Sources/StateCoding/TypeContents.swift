import Redux

/// Generic types whose values hold values of other types.
protocol TypeContents {
    /// The types of what is held.
    static var contents: [Any.Type] { get }
}

extension Optional: TypeContents {
    static var contents: [Any.Type] { [Wrapped.self] }
}

extension Array: TypeContents {
    static var contents: [Any.Type] { [Element.self] }
}

extension ContiguousArray: TypeContents {
    static var contents: [Any.Type] { [Element.self] }
}

extension Set: TypeContents {
    static var contents: [Any.Type] { [Element.self] }
}

extension Dictionary: TypeContents {
    static var contents: [Any.Type] { [Key.self, Value.self] }
}

extension Loadable: TypeContents {
    static var contents: [Any.Type] { [Problem.self, Value.self] }
}

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

extension ArraySlice: TypeContents {
    static var contents: [Any.Type] { [Element.self] }
}

extension CollectionDifference: TypeContents {
    static var contents: [Any.Type] { [ChangeElement.self] }
}

extension CollectionDifference.Change: TypeContents {
    static var contents: [Any.Type] { [ChangeElement.self] }
}

extension Range: TypeContents {
    static var contents: [Any.Type] { [Bound.self] }
}

extension ClosedRange: TypeContents {
    static var contents: [Any.Type] { [Bound.self] }
}

extension PartialRangeFrom: TypeContents {
    static var contents: [Any.Type] { [Bound.self] }
}

extension PartialRangeThrough: TypeContents {
    static var contents: [Any.Type] { [Bound.self] }
}

extension PartialRangeUpTo: TypeContents {
    static var contents: [Any.Type] { [Bound.self] }
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

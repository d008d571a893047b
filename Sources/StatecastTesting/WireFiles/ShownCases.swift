/// The cases of enums that stand in a value.
struct ShownCases {
    /// By their types: `Diary.Mood.bad`.
    private(set) var names: Set<String> = []

    /// Values that hold themselves are looked into as deep as this.
    private static let depthLimit = 32

    init(in value: Any) {
        add(value, depth: 0)
    }

    private mutating func add(_ value: Any, depth: Int) {
        let mirror = Mirror(reflecting: value)
        // What no wire form has is a matter of the value's own.
        if mirror.displayStyle == .enum, value is any Decodable {
            let name = mirror.children.first?.label ?? String(describing: value)
            names.insert("\(String(reflecting: type(of: value))).\(name)")
        }
        guard depth < Self.depthLimit else { return }
        for child in mirror.children { add(child.value, depth: depth + 1) }
    }
}

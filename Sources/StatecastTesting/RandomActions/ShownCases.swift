import Reflection

/// The cases of enums that stand in a value.
struct ShownCases {
    /// With the label of the value and the type: `mood Diary.Mood.bad`.
    private(set) var names: Set<String> = []
    /// All cases of each enum in the value, by their texts on the wire.
    private(set) var lists: [[String]] = []

    /// Values that hold themselves are looked into as deep as this.
    private static let depthLimit = 32

    init(in values: [Any]) {
        for value in values { add(value, named: "", depth: 0) }
    }

    private mutating func add(_ value: Any, named label: String, depth: Int) {
        let mirror = Mirror(reflecting: value)
        let type = type(of: value)
        // What no wire form has is a matter of the value's own.
        if mirror.displayStyle == .enum, value is any Decodable {
            let name = mirror.children.first?.label ?? String(describing: value)
            names.insert("\(label) \(String(reflecting: type)).\(name)")
            if let list = Self.wireNames(of: type), !lists.contains(list) { lists.append(list) }
        }
        guard depth < Self.depthLimit else { return }
        for child in mirror.children {
            let isInside = mirror.displayStyle == .optional
            add(child.value, named: isInside ? label : child.label ?? label, depth: depth + 1)
        }
    }

    /// The cases of an enum as they are written where it does not choose other names.
    private static func wireNames(of type: Any.Type) -> [String]? {
        guard let raw = type as? any RawRepresentable.Type else { return EnumCases.names(of: type) }
        return rawValues(of: raw)
    }

    private static func rawValues<Enum: RawRepresentable>(of type: Enum.Type) -> [String]? {
        EnumCases.values(of: type)?.compactMap { $0.rawValue as? String }
    }
}

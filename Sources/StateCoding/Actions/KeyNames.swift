import Reflection

/// The names that a type of coding keys gives to cases or values.
struct KeyNames {
    /// The names on the wire, in the order of the keys; nil where they cannot be counted.
    let all: [String]?
    private let names: [String]?
    private let accepts: (String) -> Bool

    init<Key: CodingKey>(_ type: Key.Type) {
        accepts = { Key(stringValue: $0) != nil }
        if let names = EnumCases.names(of: type), let values = EnumCases.values(of: type) {
            self.names = names
            all = values.map(\.stringValue)
        } else {
            names = nil
            all = (type as? any (CodingKey & CaseIterable).Type).map { Self.count($0) }
        }
    }

    /// The name on the wire of a case or value by its name in Swift; nil if it has no key.
    ///
    /// The key has the same name in Swift, or synthesis would refuse it; its text is the author's
    /// to choose: `case edited = "changed"`. So each key is made by its number, and asked.
    func wireName(of name: String) -> String? {
        guard let names, let all else { return accepts(name) ? name : nil }
        return names.firstIndex(of: name).map { all[$0] }
    }

    private static func count<Key: CodingKey & CaseIterable>(_ type: Key.Type) -> [String] {
        type.allCases.map(\.stringValue)
    }
}

import Redux
import Reflection

/// Finds out if a type carries what only the server says.
struct FactSearch {
    /// The types that were looked through and carry none.
    private var clean: Set<ObjectIdentifier> = []

    /// Values of the type are said by the server alone, or hold such values in an optional or a
    /// collection: known without a look at what the compiler tells of it.
    static func isFact(_ type: Any.Type) -> Bool {
        if type is any ServerSaid.Type || type is any FactGroup.Type { return true }
        return (type as? any TypeContents.Type)?.contents.contains(where: isFact) ?? false
    }

    /// Values of the type may hold what only the server says, at whatever depth: in stored
    /// properties, associated values, collections. Classes are not looked into. Throws where the
    /// types do not end that they consist of.
    mutating func carriesFact(_ type: Any.Type) throws(EndlessTypes) -> Bool {
        var visited: Set<ObjectIdentifier> = []
        var waiting = [type]
        while let type = waiting.popLast() {
            let id = ObjectIdentifier(type)
            guard !clean.contains(id), visited.insert(id).inserted else { continue }
            if type is any ServerSaid.Type || type is any FactGroup.Type { return true }
            guard visited.count <= Self.typeLimit else { throw EndlessTypes() }
            waiting += Self.parts(of: type)
        }
        clean.formUnion(visited)
        return false
    }

    private static func parts(of type: Any.Type) -> [Any.Type] {
        if let container = type as? any TypeContents.Type { return container.contents }
        // What cannot be decoded is no part of what is: the inside of a string, for example.
        guard type is any Decodable.Type || StoredTypes.elements(of: type) != nil else { return [] }
        return StoredTypes.list(of: type)
    }

    /// The types that values of one type consist of are as many at most; a type that holds itself
    /// with other arguments consists of types without end.
    static let typeLimit = 1000

    /// More types than are looked through.
    struct EndlessTypes: Error {}
}

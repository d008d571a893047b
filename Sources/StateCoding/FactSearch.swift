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
    /// properties, associated values, collections. Classes are not looked into.
    mutating func carriesFact(_ type: Any.Type) -> Bool {
        var visited: Set<ObjectIdentifier> = []
        guard !reachesFact(type, &visited) else { return true }
        clean.formUnion(visited)
        return false
    }

    private func reachesFact(_ type: Any.Type, _ visited: inout Set<ObjectIdentifier>) -> Bool {
        let id = ObjectIdentifier(type)
        guard !clean.contains(id), visited.count < 10_000, visited.insert(id).inserted else {
            return false
        }
        if type is any ServerSaid.Type || type is any FactGroup.Type { return true }
        if let container = type as? any TypeContents.Type {
            return container.contents.contains { reachesFact($0, &visited) }
        }
        // What cannot be decoded is no part of what is: the inside of a string, for example.
        guard type is any Decodable.Type || StoredTypes.elements(of: type) != nil else {
            return false
        }
        return StoredTypes.list(of: type).contains { reachesFact($0, &visited) }
    }
}

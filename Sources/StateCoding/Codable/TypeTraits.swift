import Redux
import Reflection
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The facts about a type that a coder has to know before it meets a value of it.
final class TypeTraits: Sendable {
    /// The form of a type's values in JSON, where it is not the one that they give themselves.
    enum Form: Sendable {
        case own, collection
        case string, integer, otherInteger, boolean, double, float, date, url, data, decimal

        /// A value is no object and no array.
        var isScalar: Bool { self != .own && self != .collection }
    }

    private static let scalars: [ObjectIdentifier: Form] = {
        let integers: [any FixedWidthInteger.Type] = [
            Int8.self, Int16.self, Int32.self, Int64.self, Int128.self, UInt.self, UInt8.self,
            UInt16.self, UInt32.self, UInt64.self, UInt128.self,
        ]
        let others: [(Any.Type, Form)] = [
            (String.self, .string), (Int.self, .integer), (Bool.self, .boolean),
            (Double.self, .double), (Float.self, .float), (Date.self, .date), (URL.self, .url),
            (Data.self, .data), (Decimal.self, .decimal),
        ]
        let all = integers.map { ($0 as Any.Type, Form.otherInteger) } + others
        return Dictionary(uniqueKeysWithValues: all.map { (ObjectIdentifier($0), $1) })
    }()

    let form: Form
    let isActionGroup: Bool
    /// Only the server says such values; nothing that clients post is decoded as one.
    let isFact: Bool
    let collection: (any EncodableCollection.Type)?
    let readable: (any DecodableCollection.Type)?
    /// Compares values of the type by their bits.
    let bits: EqualBits

    /// That of a type whose values are scalars; of any other, its own.
    static func form(of type: Any.Type) -> Form { scalars[ObjectIdentifier(type)] ?? .own }

    /// Looks `type` over; slow, so the answer is kept in a ``TypeTable``.
    init<Value>(of type: Value.Type) {
        isActionGroup = type is any ActionGroup.Type
        isFact = FactSearch.isFact(type)
        collection = type as? any EncodableCollection.Type
        readable = type as? any DecodableCollection.Type
        bits = EqualBits(of: type)
        form =
            Self.scalars[ObjectIdentifier(type)]
            ?? (collection == nil && readable == nil ? .own : .collection)
    }
}

/// The traits of the types met so far.
struct TypeTable: Sendable {
    private var traits: [ObjectIdentifier: TypeTraits] = [:]

    private static let shared = Mutex(TypeTable())

    /// The traits that are known in this process.
    static var known: TypeTable { shared.withLock { $0 } }

    /// The traits of the type with this identity, if it was met before.
    func traits(of id: ObjectIdentifier) -> TypeTraits? { traits[id] }

    /// The traits of a type that was not met before, which this table and later coders know from
    /// now on; takes over what others have met meanwhile.
    @inline(never)
    mutating func learn<Value>(_ type: Value.Type) -> TypeTraits {
        let id = ObjectIdentifier(type)
        self = Self.known
        if let traits = traits(of: id) { return traits }
        let made = TypeTraits(of: type)
        self = Self.shared.withLock { table in
            if table.traits[id] == nil { table.traits[id] = made }
            return table
        }
        return made
    }
}

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
    /// properties, associated values, collections. Classes are not looked into. Nil where the types do
    /// not end that they consist of.
    mutating func carriesFact(_ type: Any.Type) -> Bool? {
        let (parts, isWhole) = Self.parts(of: type, except: clean)
        if parts.contains(where: { $0 is any ServerSaid.Type || $0 is any FactGroup.Type }) {
            return true
        }
        guard isWhole else { return nil }
        clean.formUnion(parts.map { ObjectIdentifier($0) })
        return false
    }

    /// A type and those that it consists of, as far as the limit, and whether these are all.
    static func parts(
        of type: Any.Type, except known: Set<ObjectIdentifier> = []
    ) -> (types: [Any.Type], isWhole: Bool) {
        var visited = known
        var found: [Any.Type] = []
        var waiting = [type]
        while found.count < typeLimit, let type = waiting.popLast() {
            guard visited.insert(ObjectIdentifier(type)).inserted else { continue }
            found.append(type)
            waiting += parts(ofItself: type)
        }
        return (found, waiting.allSatisfy { visited.contains(ObjectIdentifier($0)) })
    }

    private static func parts(ofItself type: Any.Type) -> [Any.Type] {
        if let container = type as? any TypeContents.Type { return container.contents }
        // What cannot be decoded is no part of what is: the inside of a string, for example.
        guard type is any Decodable.Type || StoredTypes.elements(of: type) != nil else { return [] }
        return StoredTypes.list(of: type)
    }

    /// The types that values of one type consist of are as many at most; a type that holds itself
    /// with other arguments consists of types without end.
    static let typeLimit = 1000
}

/// Generic types whose values hold values of other types.
protocol TypeContents {
    /// The types of what is held.
    static var contents: [Any.Type] { get }
}

extension TypeContents where Self: Sequence {
    static var contents: [Any.Type] { [Element.self] }
}

extension TypeContents where Self: RangeExpression {
    static var contents: [Any.Type] { [Bound.self] }
}

extension Array: TypeContents {}
extension ArraySlice: TypeContents {}
extension ClosedRange: TypeContents {}
extension CollectionDifference: TypeContents {}
extension ContiguousArray: TypeContents {}
extension PartialRangeFrom: TypeContents {}
extension PartialRangeThrough: TypeContents {}
extension PartialRangeUpTo: TypeContents {}
extension Range: TypeContents {}
extension Set: TypeContents {}

extension CollectionDifference.Change: TypeContents {
    static var contents: [Any.Type] { [ChangeElement.self] }
}

extension Dictionary: TypeContents {
    static var contents: [Any.Type] { [Key.self, Value.self] }
}

extension Loadable: TypeContents {
    static var contents: [Any.Type] { [Problem.self, Value.self] }
}

extension Optional: TypeContents {
    static var contents: [Any.Type] { [Wrapped.self] }
}

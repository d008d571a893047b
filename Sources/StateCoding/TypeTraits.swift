import Redux
import Reflection

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The facts about a type that a coder has to know before it meets a value of it.
final class TypeTraits: Sendable {
    /// The form of a type's values in JSON, where it is not the one that they give themselves.
    enum Form: Sendable {
        case own, string, integer, boolean, double, date, url, data, decimal, collection
    }

    let form: Form
    let isActionGroup: Bool
    /// Only the server says such values; nothing that clients post is decoded as one.
    let isFact: Bool
    let collection: (any EncodableCollection.Type)?
    let readable: (any DecodableCollection.Type)?
    /// Compares values of the type by their bits.
    let bits: EqualBits

    /// Looks `type` over; slow, so the answer is kept in a ``TypeTable``.
    init<Value>(of type: Value.Type) {
        isActionGroup = type is any ActionGroup.Type
        isFact = FactSearch.isFact(type)
        collection = type as? any EncodableCollection.Type
        readable = type as? any DecodableCollection.Type
        bits = EqualBits(of: type)
        form =
            switch ObjectIdentifier(type) {
            case ObjectIdentifier(String.self): .string
            case ObjectIdentifier(Int.self): .integer
            case ObjectIdentifier(Bool.self): .boolean
            case ObjectIdentifier(Double.self): .double
            case ObjectIdentifier(Date.self): .date
            case ObjectIdentifier(URL.self): .url
            case ObjectIdentifier(Data.self): .data
            case ObjectIdentifier(Decimal.self): .decimal
            default: collection == nil && readable == nil ? .own : .collection
            }
    }
}

import Redux
import Reflection

/// Finds out before the first state is written whether all states of a type have JSON.
package enum StateCheck {
    /// The sentence that says what has none; nil where everything has, as far as the types tell.
    ///
    /// A type that consists of too many others is looked into as far as the limit.
    package static func fault(of state: Any.Type) -> String? {
        FactSearch.parts(of: state).types.lazy.compactMap { faultOfItself($0) }.first
    }

    private static func faultOfItself(_ type: Any.Type) -> String? {
        if let secret = type as? any AnySecret.Type, !(secret.wrapped is any Encodable.Type) {
            return "A \(type) cannot be kept: make \(secret.wrapped) Codable."
        }
        guard let cases = EnumCases.list(of: type), let type = type as? any Decodable.Type else {
            return nil
        }
        return cases.first { isMixed($0, of: type) }.map {
            "The case \($0.name) of \(type) has labelled and unlabelled values, and no JSON: label "
                + "all of them, or none."
        }
    }

    /// Both kinds of values stand in a case, which is written as the compiler has it.
    private static func isMixed<Value: Decodable>(
        _ found: EnumCases.Case, of type: Value.Type
    ) -> Bool {
        guard let elements = found.payload.flatMap({ StoredTypes.elements(of: $0) }) else {
            return false
        }
        let unlabelled = elements.count { $0.label == nil }
        guard unlabelled > 0, unlabelled < elements.count,
            let name = Probe(type).object?.keys.wireName(of: found.name)
        else { return false }
        return Probe(type, Probe.Script(key: name)).values != nil
    }
}

/// A secret of whatever it wraps.
protocol AnySecret {
    static var wrapped: Any.Type { get }
}

extension Secret: AnySecret {
    static var wrapped: Any.Type { Value.self }
}

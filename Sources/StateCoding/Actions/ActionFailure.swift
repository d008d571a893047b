/// Why a posted body holds no action for the store.
@usableFromInline
package enum ActionFailure: Error, Sendable, Hashable {
    /// Not JSON, or a member named twice (400).
    case syntax(offset: Int, detail: String)
    /// JSON nested too deep (400).
    case tooDeep(limit: Int)
    /// More actions in one batch than allowed (413).
    case tooManyActions(limit: Int)
    /// JSON, but no Flux Standard Action: not an object, or `type` is not a string (422).
    case badEnvelope(pointer: JSONPointer, detail: String)
    /// No action has this type; `nearest` are known ones spelled like it, closest first (422).
    case unknownType(String, nearest: [String], pointer: JSONPointer)
    /// The payload does not fit the type (422).
    case badPayload(pointer: JSONPointer, detail: String)
    /// The action is a fact, which only the server says, or a value in it is one (422).
    case factNotAllowed(String, pointer: JSONPointer)

    /// The failure of parsing a body.
    init(_ failure: DecodingFailure, maximumDepth: Int) {
        switch failure.reason {
        case .tooDeep: self = .tooDeep(limit: maximumDepth)
        case .syntax, .shape: self = .syntax(offset: failure.offset, detail: failure.detail)
        }
    }
}

import Redux
import StateCoding

/// Makes actions of all types that an application has, and knows their JSON.
struct ActionMaker<Action: ActionGroup>: Sendable {
    /// A type of actions.
    struct Kind: Sendable {
        /// The type on the wire: `table/made`.
        let type: String
        /// Only the server says such actions.
        let isFact: Bool
    }

    /// All types, sorted; those of a group inside itself are not listed, for they have no end.
    let kinds: [Kind]
    let coder: ActionCoder<Action>

    /// Throws where the actions' types cannot be told apart on the wire.
    init() throws {
        coder = try ActionCoder()
        kinds =
            coder.knownTypes.map { Kind(type: $0, isFact: false) }
            + coder.factTypes.map { Kind(type: $0, isFact: true) }
    }

    // MARK: JSON

    /// The JSON of an action.
    func json(of action: Action) throws -> [UInt8] {
        var json: [UInt8] = []
        try coder.encode(action, into: &json)
        return json
    }

    /// The type of an action on the wire.
    func type(of action: Action) throws -> String {
        let json = try json(of: action)
        return try JSONDocument(parsing: json.span).root["type"]?.string ?? ""
    }

    /// The payload of an action; nil where it has none.
    func payload(of action: Action) -> JSONTree? {
        guard let json = try? json(of: action),
            let document = try? JSONDocument(parsing: json.span)
        else { return nil }
        return document.root["payload"].map(JSONTree.init)
    }

    /// The same action with another payload; nil where that is none of its type.
    func action(like action: Action, with payload: JSONTree) -> Action? {
        guard let type = try? type(of: action) else { return nil }
        return try? coder.decodeLogged(Self.envelope(type, payload).json.span).action
    }

    private static func envelope(_ type: String, _ payload: JSONTree) -> JSONTree {
        .object([("type", .text(type)), ("payload", payload)])
    }

    // MARK: Making

    /// An action that others are made of, and its payload.
    struct Sample: Sendable {
        let action: Action
        let payload: JSONTree?
        /// An example of the test, which is sent as it is now and then.
        let isGiven: Bool
    }

    /// Actions by their types.
    func byType(_ actions: [Action]) throws -> [String: [Action]] {
        try Dictionary(grouping: actions) { try type(of: $0) }
    }

    /// Plain actions of a type that show, with those that are given, each case of each enum in its
    /// payload, as far as these enums are known; a plain one where none is given. None where no
    /// payload can be made up.
    func samples(
        of kind: Kind, besides given: [Action], from values: ValueMaker
    ) -> [Action] {
        var values = values
        var samples = given
        if given.isEmpty {
            guard let plain = action(of: kind, with: .null, from: &values) else { return [] }
            samples = [plain]
        }
        let cases = ShownCases(in: samples)
        var shown = cases.names
        var index = 0
        while index < samples.count {
            let payload = payload(of: samples[index]) ?? .null
            for other in values.alternatives(of: payload, among: cases.lists) {
                guard let action = action(of: kind, with: other, from: &values) else { continue }
                let names = ShownCases(in: [action]).names
                if !names.isSubset(of: shown) { samples.append(action) }
                shown.formUnion(names)
            }
            index += 1
        }
        return Array(samples.dropFirst(given.count))
    }

    /// An action like one of some samples.
    func action(of kind: Kind, like samples: [Sample], from values: inout ValueMaker) -> Action {
        let given = samples.filter(\.isGiven)
        if !given.isEmpty, values.pick(2) == 0 { return values.element(of: given).action }
        let sample = values.element(of: samples)
        guard let payload = sample.payload else { return sample.action }
        return action(of: kind, with: values.varied(payload), from: &values) ?? sample.action
    }

    /// An action whose payload is like another value; nil where none can be made of it.
    private func action(
        of kind: Kind, with payload: JSONTree, from values: inout ValueMaker
    ) -> Action? {
        values.value(from: Self.envelope(kind.type, payload)) {
            (envelope) throws(ValueMaker.Misfit) in
            do throws(ActionFailure) {
                return try coder.decodeLogged(envelope.json.span).action
            } catch {
                guard case .badPayload(let place, _) = error else {
                    throw ValueMaker.Misfit(place: JSONPointer())
                }
                throw ValueMaker.Misfit(place: place)
            }
        }
    }
}

import Redux
import StateCoding

/// Makes actions of all types that an application has, and knows their JSON.
struct ActionMaker<Action: ActionGroup>: Sendable {
    /// Actions of one type that others are made of: those that the test gives, which are sent as they
    /// are now and then, and those that were made up.
    typealias Samples = (given: [Action], made: [Action])

    /// All types on the wire, `table/made`: the clients', then the facts, sorted. Those of a group
    /// inside itself are not listed, for they have no end.
    let types: [String]
    /// The types of which only the server says actions.
    let facts: Set<String>
    let coder: ActionCoder<Action>

    /// Throws where the actions' types cannot be told apart on the wire.
    init() throws {
        coder = try ActionCoder()
        types = coder.knownTypes + coder.factTypes
        facts = Set(coder.factTypes)
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
        return try JSONValue(parsing: json.span)["type"]?.string ?? ""
    }

    /// The payload of an action; nil where it has none.
    func payload(of action: Action) -> JSONTree? {
        let json = try? json(of: action)
        let document = json.flatMap { try? JSONValue(parsing: $0.span) }
        return document?["payload"].map(JSONTree.init)
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

    /// Actions by their types.
    func byType(_ actions: [Action]) throws -> [String: [Action]] {
        try Dictionary(grouping: actions) { try type(of: $0) }
    }

    /// Plain actions of a type that show, with those that are given, each case of each enum in its
    /// payload, as far as these enums are known; a plain one where none is given. None where no
    /// payload can be made up.
    func samples(
        of type: String, besides given: [Action], from values: ValueMaker
    ) -> [Action] {
        var values = values
        var samples = given
        if given.isEmpty {
            guard let plain = action(of: type, with: .null, from: &values) else { return [] }
            samples = [plain]
        }
        let cases = ShownCases(in: samples)
        var shown = cases.names
        var index = 0
        while index < samples.count {
            let payload = payload(of: samples[index]) ?? .null
            for other in values.alternatives(of: payload, among: cases.lists) {
                guard let action = action(of: type, with: other, from: &values) else { continue }
                let names = ShownCases(in: [action]).names
                if !names.isSubset(of: shown) { samples.append(action) }
                shown.formUnion(names)
            }
            index += 1
        }
        return Array(samples.dropFirst(given.count))
    }

    /// An action like one of some samples.
    func action(of type: String, like samples: Samples, from values: inout ValueMaker) -> Action {
        let (given, made) = samples
        if !given.isEmpty, values.pick(2) == 0 { return values.element(of: given) }
        let sample = values.element(of: given + made)
        guard let payload = payload(of: sample) else { return sample }
        return action(of: type, with: values.varied(payload), from: &values) ?? sample
    }

    /// An action whose payload is like another value; nil where none can be made of it.
    private func action(
        of type: String, with payload: JSONTree, from values: inout ValueMaker
    ) -> Action? {
        values.value(from: Self.envelope(type, payload)) { envelope, misfit in
            do throws(ActionFailure) {
                return try coder.decodeLogged(envelope.json.span).action
            } catch {
                if case .badPayload(let place, _) = error { misfit = place }
                return nil
            }
        }
    }
}

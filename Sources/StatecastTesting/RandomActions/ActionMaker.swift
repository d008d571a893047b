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
        fileprivate let path: [String]

        fileprivate init(_ type: String, isFact: Bool) {
            self.type = type
            self.isFact = isFact
            path = type.split(separator: "/").map(String.init)
        }
    }

    /// All types, sorted; those of a group inside itself are not listed, for they have no end.
    let kinds: [Kind]
    let coder: ActionCoder<Action>
    private var examples: [String: [Action]] = [:]

    /// Throws where the actions' types cannot be told apart on the wire.
    init(examples: [Action] = []) throws {
        coder = try ActionCoder()
        kinds =
            coder.knownTypes.map { Kind($0, isFact: false) }
            + coder.factTypes.map { Kind($0, isFact: true) }
        for example in examples {
            self.examples[try type(of: example), default: []].append(example)
        }
    }

    /// An action of a type; throws where no value of its payload can be made up.
    func action(of kind: Kind, from source: ValueSource) throws -> Action {
        if let given = examples[kind.type], source.pick(2) == 0 { return source.element(of: given) }
        source.begin()
        let path = kind.path[...]
        do {
            return try source.attempt { try Action(from: GeneratingDecoder(source, path: path)) }
        } catch {
            guard let given = examples[kind.type] else { throw error }
            return source.element(of: given)
        }
    }

    /// The types of which no action can be made.
    func unmadeTypes(by principals: [Principal]) -> [String] {
        let source = ValueSource(seed: 0, principals)
        return kinds.filter { (try? action(of: $0, from: source)) == nil }.map(\.type)
    }

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
        let envelope = JSONTree.object([("type", .text(type)), ("payload", payload)])
        return self.action(in: envelope.json)
    }

    /// The action of a JSON; nil where that is none.
    private func action(in json: [UInt8]) -> Action? {
        try? coder.decodeLogged(json.span).action
    }
}

import Redux
import StateCoding
import Testing

struct FactTests {
    let coder: ActionCoder<FactSample>

    init() throws { coder = try ActionCoder() }

    static let facts: [FactSample] = [
        .answered(.value(1)), .answered(.problem(.failed)), .failed(.timedOut),
        .answeredLabelled(id: 1, answer: .value(Done())), .maybe(nil), .maybe(.value(2)),
        .maybeLabelled(id: nil, problem: nil), .maybeLabelled(id: 1, problem: .failed),
        .listed([]), .listed([.failed, .timedOut]), .sets([]), .sets([.failed]), .named([:]),
        .named(["a": .value(1)]), .nested([]), .nested([["a": [nil, .value(3)]]]),
        .both(1, .value(2)), .boxed(AnswerBox(answers: [])),
        .boxed(AnswerBox(note: "n", shade: .red, answers: [.value(1)])), .chosen(.plain(1)),
        .chosen(.again(.told(note: "n", problem: .failed))),
        .chosenDeep(id: 1, choices: [nil, .plain(2)]),
        .generic(Carrier()), .generic(Carrier(value: .value(1))), .loaded(.idle),
        .loaded(.failed(.failed, 1)), .clocked([]), .clocked([.stopped]), .clock(.stopped),
        .clock(.ranOut(player: "Ada")), .clock(.struck(3)), .clock(.bell(.rung)),
        .inner(id: 7, .saved(.value(true))), .inner(id: 7, .clock(.struck(1))),
        .inner(id: 7, .clock(.bell(.rung))), .sliced(SliceBox([])), .sliced(SliceBox([.failed])),
        .rows([.value(1)]), .deepSlice(["a": SliceBox([[.failed], nil])]),
        .changes([.failed].difference(from: [])), .ranged(.low..<(.high(1))),
        .closed([.low...(.high(1)), nil]), .open(Edge(bounds: RankFact.low...)),
        .through(Edge(bounds: ...RankFact.low)), .below(Edge(bounds: ..<RankFact.high(1))),
    ]

    @Test(arguments: facts)
    func `a fact is written to a journal and read back`(fact: FactSample) throws {
        let text = try coder.encoded(fact)
        #expect(try coder.decodeLogged(text: text) == fact)
        #expect(try coder.encoded(coder.decodeLogged(text: text)) == text)
    }

    @Test(arguments: facts)
    func `a fact that a client posts is refused as such`(fact: FactSample) throws {
        let text = try coder.encoded(fact)
        let type = try #require(
            try JSONValue(parsing: Array(text.utf8).span)["type"]?.string)
        #expect(coder.factTypes.contains(type))
        #expect(!coder.knownTypes.contains(type))
        let refusal = ActionFailure.factNotAllowed(type, pointer: JSONPointer(tokens: ["type"]))
        let failure = #expect(throws: ActionFailure.self) { try coder.decode(text: text) }
        #expect(failure == refusal)
        let batch = #expect(throws: ActionFailure.self) {
            try coder.decodeBatch(text: #"[{"type":"posted"},\#(text)]"#)
        }
        let pointer = JSONPointer(tokens: ["1", "type"])
        #expect(batch == .factNotAllowed(type, pointer: pointer))
    }

    @Test(arguments: [
        "", #","payload":null"#, #","payload":{}"#, #","payload":[]"#, #","payload":[[[]]]"#,
        #","payload":3"#, #","payload":"x""#, #","payload":{"id":"x","answer":{"value":{}}}"#,
        #","payload":{"value":1}"#, #","payload":{"problem":{"code":"a","message":"b"}}"#,
        #","payload":[1,{"value":1}]"#, #","payload":{"status":"idle"},"meta":{}"#,
    ])
    func `no payload makes a client's fact anything else`(payload: String) throws {
        for type in coder.factTypes {
            let refusal = ActionFailure.factNotAllowed(type, pointer: JSONPointer(tokens: ["type"]))
            let escaped = type.replacing("/", with: #"\/"#)
            for name in [type, escaped] {
                let failure = #expect(throws: ActionFailure.self) {
                    try coder.decode(text: #"{"type":"\#(name)"\#(payload)}"#)
                }
                #expect(failure == refusal)
            }
        }
    }

    @Test func `a member named twice is refused before facts are looked for`() {
        for text in [
            #"{"type":"answered","type":"posted"}"#,
            #"{"type":"posted","payload":{"a":1,"\u0061":{"value":1}}}"#,
        ] {
            let failure = #expect(throws: ActionFailure.self) { try coder.decode(text: text) }
            guard case .syntax? = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
        }
    }

    @Test(arguments: ["clock", "clock/", "clock/nothing", "answered/x", "inner/clock", "inner"])
    func `a path near a fact is of no known type`(type: String) {
        let failure = #expect(throws: ActionFailure.self) {
            try coder.decode(text: #"{"type":"\#(type)","payload":{"id":1,"value":1}}"#)
        }
        switch failure {
        case .unknownType(type, let nearest, _)?:
            #expect(nearest.allSatisfy { coder.knownTypes.contains($0) })
        case .factNotAllowed(type, _)?: break
        default: Issue.record("\(String(describing: failure))")
        }
    }

    @Test func `below a group inside itself facts are found as well`() throws {
        let coder = try ActionCoder<EndlessFacts>()
        #expect(coder.knownTypes == ["stop"])
        for type in ["told", "down/told", "down/down/down/told"] {
            let failure = #expect(throws: ActionFailure.self) {
                try coder.decode(text: #"{"type":"\#(type)","payload":{"problem":{}}}"#)
            }
            #expect(failure == .factNotAllowed(type, pointer: JSONPointer(tokens: ["type"])))
        }
        #expect(try coder.decode(text: #"{"type":"down/down/stop"}"#).action == .down(.down(.stop)))
    }

    @Test(arguments: [
        ("keyed", "/payload/a"), ("present", "/payload/a"), ("nested", "/payload/a/b"),
        ("unkeyed", "/payload/0"), ("inArray", "/payload/0/0"), ("single", "/payload"),
        ("super", "/payload/super"), ("superNamed", "/payload/a"), ("superElement", "/payload/0"),
        ("direct", "/payload"), ("directProblem", "/payload"), ("array", "/payload"),
        ("set", "/payload"), ("dictionary", "/payload"), ("optional", "/payload"),
        ("group", "/payload"), ("nestedList", "/payload/a/0"), ("emptyList", "/payload"),
        ("rows", "/payload"), ("emptyRows", "/payload"), ("range", "/payload"),
    ])
    func `a type that decodes itself finds no way into a fact`(
        way: String, pointer: String
    ) throws {
        let coder = try ActionCoder<SmuggledAction>()
        #expect(coder.knownTypes == ["smuggled"])
        let payload = try #require(Smuggler.payloads[way])
        let text = #"{"type":"smuggled","payload":\#(payload)}"#
        let failure = Smuggler.$way.withValue(way) {
            #expect(throws: ActionFailure.self) { try coder.decode(text: text) }
        }
        let expected = try #require(JSONPointer(parsing: pointer))
        #expect(failure == .factNotAllowed("smuggled", pointer: expected))
        let logged = try Smuggler.$way.withValue(way) { try coder.decodeLogged(text: text) }
        #expect(logged == .smuggled(Smuggler()))
    }

    @Test func `a container that hides its elements does not let facts in`() throws {
        let coder = try ActionCoder<BagAction>()
        #expect(coder.knownTypes == ["bag"])
        let text = #"{"type":"bag","payload":[{"code":"a","message":"b"}]}"#
        let failure = #expect(throws: ActionFailure.self) { try coder.decode(text: text) }
        let pointer = JSONPointer(tokens: ["payload", "0"])
        #expect(failure == .factNotAllowed("bag", pointer: pointer))
        #expect(try coder.decode(text: #"{"type":"bag","payload":[]}"#).action == .bag(Bag([])))
        #expect(try coder.decodeLogged(text: text) == .bag(Bag([Problem("a", "b")])))
    }

    @Test func `a fact's path in another normal form is of no known type`() throws {
        let coder = try ActionCoder<AccentedAction>()
        #expect(coder.factTypes == ["caf\u{e9}", "\u{e9}t\u{e9}/\u{fc}ber"])
        #expect(coder.knownTypes == ["na\u{ef}f", "teint/ros\u{e9}"])
        for type in ["cafe\u{301}", "e\u{301}te\u{301}/u\u{308}ber"] {
            let text = #"{"type":"\#(type)","payload":{"code":"a","message":"b"}}"#
            let failure = #expect(throws: ActionFailure.self) { try coder.decode(text: text) }
            guard case .unknownType(let name, _, let pointer)? = failure else {
                Issue.record("\(String(describing: failure))")
                continue
            }
            #expect(Array(name.utf8) == Array(type.utf8))
            #expect(pointer == JSONPointer(tokens: ["type"]))
            let fact = #"{"type":"\#(composed(type))"}"#
            let refusal = #expect(throws: ActionFailure.self) { try coder.decode(text: fact) }
            #expect(refusal == .factNotAllowed(composed(type), pointer: pointer))
        }
        let inGroup = #expect(throws: ActionFailure.self) {
            try coder.decode(text: "{\"type\":\"\u{e9}t\u{e9}/u\u{308}ber\"}")
        }
        guard case .factNotAllowed? = inGroup else {
            Issue.record("\(String(describing: inGroup))")
            return
        }
    }

    @Test func `an action's path is compared by its bytes`() throws {
        let coder = try ActionCoder<AccentedAction>()
        let plain = #"{"type":"na\u00eff"}"#
        #expect(try coder.decode(text: plain).action == .naïf)
        #expect(try coder.decode(text: "{\"type\":\"na\u{ef}f\"}").action == .naïf)
        #expect(
            try coder.decode(text: "{\"type\":\"teint/ros\u{e9}\"}").action == .teint(.rosé))
        for type in ["nai\u{308}f", "teint/rose\u{301}"] {
            let text = #"{"type":"\#(type)"}"#
            let failure = #expect(throws: ActionFailure.self) { try coder.decode(text: text) }
            guard case .unknownType? = failure else {
                Issue.record("\(String(describing: failure))")
                continue
            }
        }
        // A journal is read as its types read it.
        let logged = "{\"type\":\"cafe\u{301}\",\"payload\":{\"code\":\"a\",\"message\":\"b\"}}"
        #expect(try coder.decodeLogged(text: logged) == .café(Problem("a", "b")))
    }

    /// The text with each letter and its mark as one character's code.
    private func composed(_ text: String) -> String {
        text.replacing("e\u{301}", with: "\u{e9}").replacing("u\u{308}", with: "\u{fc}")
    }

    @Test func `states hold answers and problems`() throws {
        let box = AnswerBox(answers: [.value(1), .problem(.failed)])
        #expect(try decoded(AnswerBox.self, encoded(box)) == box)
    }
}

indirect enum EndlessFacts: ActionGroup {
    case down(EndlessFacts)
    case told(Problem)
    case stop
}

enum AccentedAction: ActionGroup {
    case café(Problem)
    case été(Facts)
    case naïf
    case teint(Hue)

    enum Facts: FactGroup { case über }
    enum Hue: String, ActionGroup { case rosé }
}

enum BagAction: ActionGroup { case bag(Bag<Problem>) }

/// A list in storage that is not looked into.
struct Bag<Element: StateValue>: StateValue {
    private final class Storage: Sendable {
        let elements: [Element]

        init(_ elements: [Element]) { self.elements = elements }
    }

    private let storage: Storage

    init(_ elements: [Element]) { storage = Storage(elements) }

    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        var elements: [Element] = []
        while !list.isAtEnd { elements.append(try list.decode(Element.self)) }
        self.init(elements)
    }

    func encode(to encoder: any Encoder) throws { try storage.elements.encode(to: encoder) }

    static func == (left: Bag, right: Bag) -> Bool {
        left.storage.elements == right.storage.elements
    }
}

enum SmuggledAction: ActionGroup { case smuggled(Smuggler) }

/// Decodes a fact in the way that it is told, and keeps nothing of it.
struct Smuggler: StateValue {
    @TaskLocal static var way = ""

    static let answer = #"{"value":1}"#
    static let payloads = [
        "keyed": #"{"a":\#(answer)}"#, "present": #"{"a":\#(answer)}"#,
        "nested": #"{"a":{"b":\#(answer)}}"#, "unkeyed": "[\(answer)]", "inArray": "[[\(answer)]]",
        "single": answer, "super": #"{"super":\#(answer)}"#, "superNamed": #"{"a":\#(answer)}"#,
        "superElement": "[\(answer)]", "direct": answer,
        "directProblem": #"{"code":"a","message":"b"}"#, "array": "[\(answer)]",
        "set": #"[{"code":"a","message":"b"}]"#, "dictionary": #"{"a":\#(answer)}"#,
        "optional": answer, "group": #"{"struck":1}"#, "nestedList": #"{"a":[\#(answer)]}"#,
        "emptyList": "[]", "rows": "[\(answer)]", "emptyRows": "[]",
        "range": #"[{"low":{}},{"high":1}]"#,
    ]

    init() {}

    init(from decoder: any Decoder) throws {
        switch Self.way {
        case "direct": _ = try Answer<Int>(from: decoder)
        case "directProblem": _ = try Problem(from: decoder)
        case "single": _ = try decoder.singleValueContainer().decode(Answer<Int>.self)
        case "array", "emptyList": _ = try decoder.singleValueContainer().decode([Answer<Int>].self)
        case "rows", "emptyRows":
            _ = try decoder.singleValueContainer().decode(ContiguousArray<Answer<Int>>.self)
        case "range": _ = try decoder.singleValueContainer().decode(ClosedRange<RankFact>.self)
        case "set": _ = try decoder.singleValueContainer().decode(Set<Problem>.self)
        case "dictionary":
            _ = try decoder.singleValueContainer().decode([String: Answer<Int>].self)
        case "optional": _ = try decoder.singleValueContainer().decode(Answer<Int>?.self)
        case "group": _ = try decoder.singleValueContainer().decode(ClockFact.self)
        case "unkeyed", "inArray", "superElement": try Self.readElements(of: decoder)
        default: try Self.readMembers(of: decoder)
        }
    }

    private static func readElements(of decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        switch way {
        case "unkeyed": _ = try list.decode(Answer<Int>.self)
        case "inArray":
            var inner = try list.nestedUnkeyedContainer()
            _ = try inner.decodeIfPresent(Answer<Int>.self)
        default: _ = try Answer<Int>(from: list.superDecoder())
        }
    }

    private static func readMembers(of decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: SampleKey.self)
        switch way {
        case "keyed": _ = try members.decode(Answer<Int>.self, forKey: .a)
        case "present": _ = try members.decodeIfPresent(Answer<Int>.self, forKey: .a)
        case "nested":
            let inner = try members.nestedContainer(keyedBy: SampleKey.self, forKey: .a)
            _ = try inner.decode(Answer<Int>.self, forKey: .b)
        case "nestedList":
            var inner = try members.nestedUnkeyedContainer(forKey: .a)
            _ = try inner.decode(Answer<Int>.self)
        case "super": _ = try Answer<Int>(from: members.superDecoder())
        default: _ = try Answer<Int>(from: members.superDecoder(forKey: .a))
        }
    }

    func encode(to encoder: any Encoder) throws {}
}

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
        .inner(id: 7, .clock(.bell(.rung))),
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
            try JSONDocument(parsing: Array(text.utf8).span).root["type"]?.string)
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
        "emptyList": "[]",
    ]

    init() {}

    init(from decoder: any Decoder) throws {
        switch Self.way {
        case "direct": _ = try Answer<Int>(from: decoder)
        case "directProblem": _ = try Problem(from: decoder)
        case "single": _ = try decoder.singleValueContainer().decode(Answer<Int>.self)
        case "array", "emptyList": _ = try decoder.singleValueContainer().decode([Answer<Int>].self)
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

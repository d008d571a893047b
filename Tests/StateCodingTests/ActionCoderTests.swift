import StateCoding
import Testing

enum HomeAction: Codable, ActionGroup, Equatable, Sendable {
    case searchEdited(text: String)
    case refreshed
    case jumped(Int?)

    enum CodingKeys: CodingKey, CaseIterable { case searchEdited, refreshed, jumped }
}

enum SampleAction: Codable, Equatable, Sendable {
    case incremented(by: Int)
    case reset
    case named(String)
    case moved(Int, Int)
    case tagged(Fruit)
    case noted(String?)
    case home(HomeAction)

    enum CodingKeys: CodingKey, CaseIterable {
        case incremented, reset, named, moved, tagged, noted, home
    }
}

enum SampleFact: Codable, Equatable, Sendable {
    case loaded(items: [Int])
    case failed(String)

    enum CodingKeys: CodingKey, CaseIterable { case loaded, failed }
}

enum PlainFact: Codable, Sendable { case arrived(by: Int) }

enum ButtonAction: String, Codable, CaseIterable { case pressed, released }

indirect enum DeepAction: Codable, ActionGroup, Sendable {
    case down(DeepAction)
    case stop

    enum CodingKeys: CodingKey, CaseIterable { case down, stop }
}

enum LabelledGroup: Codable, Sendable {
    case home(action: HomeAction)
    enum CodingKeys: CodingKey, CaseIterable { case home }
}

enum GroupAndMore: Codable, Sendable {
    case home(HomeAction, Int)
    enum CodingKeys: CodingKey, CaseIterable { case home }
}

enum MixedAction: Codable, Sendable {
    case one(Int, b: Int)
    enum CodingKeys: CodingKey, CaseIterable { case one }
}

struct NoEnum: Codable, Sendable { var a = 1 }

extension ActionCoder {
    /// The envelope; twice the action alone, in memory used before, has to come to the same.
    func decode(text: String) throws(ActionFailure) -> ActionEnvelope<Action> {
        let bytes = Array(text.utf8)
        let memory = ActionMemory()
        let alone = (0..<2).map { _ in
            Result { () throws(ActionFailure) in
                String(describing: try decodeAction(bytes.span, in: memory))
            }
        }
        let result = Result { () throws(ActionFailure) in try decode(bytes.span) }
        for other in alone { #expect(other == result.map { String(describing: $0.action) }) }
        return try result.get()
    }

    func decodeBatch(
        text: String, maximumCount: Int = 1000
    ) throws(ActionFailure) -> [ActionEnvelope<Action>] {
        let bytes = Array(text.utf8)
        return try decodeBatch(bytes.span, maximumCount: maximumCount)
    }

    func decodeFact(text: String) throws(ActionFailure) -> ActionEnvelope<Fact> {
        let bytes = Array(text.utf8)
        return try decodeFact(bytes.span)
    }

    static func isBatch(text: String) -> Bool {
        let bytes = Array(text.utf8)
        return isBatch(bytes.span)
    }

    func encoded(_ action: Action) throws(EncodingFailure) -> String {
        var bytes: [UInt8] = []
        try encode(action, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

struct ActionCoderTests {
    let coder: ActionCoder<SampleAction, SampleFact>

    init() throws { coder = try ActionCoder() }

    private func decode(_ text: String) throws(ActionFailure) -> ActionEnvelope<SampleAction> {
        try coder.decode(text: text)
    }

    static let forms: [(SampleAction, String)] = [
        (.incremented(by: 2), #"{"type":"incremented","payload":{"by":2}}"#),
        (.reset, #"{"type":"reset"}"#),
        (.named("a\"b"), #"{"type":"named","payload":"a\"b"}"#),
        (.moved(1, -2), #"{"type":"moved","payload":[1,-2]}"#),
        (.tagged(.pear(1)), #"{"type":"tagged","payload":{"pear":1}}"#),
        (.noted(nil), #"{"type":"noted","payload":null}"#),
        (.noted("x"), #"{"type":"noted","payload":"x"}"#),
        (.home(.refreshed), #"{"type":"home/refreshed"}"#),
        (
            .home(.searchEdited(text: "bre")),
            #"{"type":"home/searchEdited","payload":{"text":"bre"}}"#
        ),
        (.home(.jumped(nil)), #"{"type":"home/jumped","payload":null}"#),
    ]

    @Test(arguments: forms)
    func `an action and its form on the wire are each other's inverse`(
        action: SampleAction, json: String
    ) throws {
        #expect(try coder.encoded(action) == json)
        let envelope = try coder.decode(text: json)
        #expect(envelope.action == action)
        #expect(envelope.meta == nil)
    }

    @Test func `order, white space, escapes and unknown members do not matter`() throws {
        let text =
            #" { "x" : [1] , "payload":{"z":0,"text":"b"},"meta":{"a": 1},"type":"home\/search\u0045dited"} "#
        let envelope = try decode(text)
        #expect(envelope.action == .home(.searchEdited(text: "b")))
        #expect(envelope.type == "home/searchEdited")
        #expect(envelope.meta.map { String(decoding: $0, as: UTF8.self) } == #"{"a": 1}"#)
    }

    @Test func `an absent payload stands for nil, a needless one is ignored`() throws {
        #expect(try decode(#"{"type":"noted"}"#).action == .noted(nil))
        #expect(try decode(#"{"type":"reset","payload":{"a":1}}"#).action == .reset)
    }

    @Test(arguments: [
        (#"{"type":"incremented","payload":{"by":"x"}}"#, "/payload/by"),
        (#"{"type":"incremented","payload":{}}"#, "/payload/by"),
        (#"{"type":"incremented"}"#, "/payload/by"),
        (#"{"type":"incremented","payload":[1]}"#, "/payload"),
        (#"{"type":"incremented","payload":{"by":1.5}}"#, "/payload/by"),
        (#"{"type":"incremented","payload":{"by":9223372036854775808}}"#, "/payload/by"),
        (#"{"type":"named"}"#, "/payload"), (#"{"type":"named","payload":null}"#, "/payload"),
        (#"{"type":"moved","payload":[1]}"#, "/payload"),
        (#"{"type":"moved","payload":[1,2,3]}"#, "/payload"),
        (#"{"type":"moved","payload":[1,"b"]}"#, "/payload/1"),
        (#"{"type":"tagged","payload":{"bowl":[{"pear":"x"}]}}"#, "/payload/bowl/0/pear"),
        (#"{"type":"tagged","payload":{"pear":1,"apple":{}}}"#, "/payload"),
        (#"{"type":"home/searchEdited","payload":{"text":3}}"#, "/payload/text"),
    ])
    func `a bad payload is named by its pointer`(text: String, pointer: String) {
        let failure = #expect(throws: ActionFailure.self) { try decode(text) }
        guard case .badPayload(let found, let detail)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(found.description == pointer)
        #expect(!detail.isEmpty)
    }

    @Test(arguments: [
        "incrementd", "home", "home/", "/home", "home/reset", "reset/x", "incremented/by", "",
        "home/refreshed/", "home/refreshed/x", "HOME", "_0", "home/_0", "by",
    ])
    func `an unknown type is refused`(type: String) {
        let failure = #expect(throws: ActionFailure.self) {
            try decode(#"{"type":"\#(type)","payload":{"by":1}}"#)
        }
        guard case .unknownType(let found, _, let pointer)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(found == type)
        #expect(pointer.description == "/type")
    }

    @Test func `the nearest known types are named`() {
        let failure = #expect(throws: ActionFailure.self) {
            try decode(#"{"type":"home/serchEdited"}"#)
        }
        let pointer = JSONPointer(tokens: ["type"])
        let expected = ActionFailure.unknownType(
            "home/serchEdited", nearest: ["home/searchEdited"], pointer: pointer)
        #expect(failure == expected)
    }

    @Test func `a fact that a client posts is refused as such, whatever its payload`() throws {
        for text in [#"{"type":"loaded","payload":{"items":[1]}}"#, #"{"type":"failed"}"#] {
            let failure = #expect(throws: ActionFailure.self) { try decode(text) }
            guard case .factNotAllowed? = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
        }
        let plain = try ActionCoder<SampleAction, PlainFact>()
        let failure = #expect(throws: ActionFailure.self) {
            try plain.decode(text: #"{"type":"arrived","payload":3}"#)
        }
        #expect(failure == .factNotAllowed("arrived", pointer: JSONPointer(tokens: ["type"])))
    }

    @Test func `facts are coded for the journal`() throws {
        var bytes: [UInt8] = []
        try coder.encode(fact: .loaded(items: [1, 2]), into: &bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text == #"{"type":"loaded","payload":{"items":[1,2]}}"#)
        #expect(try coder.decodeFact(text: text).action == .loaded(items: [1, 2]))
    }

    @Test(arguments: ["1", "[]", "null", #"{"a":1}"#, #"{"type":1}"#, #"{"type":null}"#])
    func `what is no envelope is refused`(text: String) {
        let failure = #expect(throws: ActionFailure.self) { try decode(text) }
        guard case .badEnvelope? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test func `syntax and depth are told apart`() {
        let syntax = #expect(throws: ActionFailure.self) { try decode(#"{"type":"reset""#) }
        guard case .syntax(let offset, _)? = syntax else {
            Issue.record("\(String(describing: syntax))")
            return
        }
        #expect(offset == 15)
        let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        let failure = #expect(throws: ActionFailure.self) {
            try decode(#"{"type":"reset","payload":\#(deep)}"#)
        }
        #expect(failure == .tooDeep(limit: 128))
    }

    @Test func `a batch is read whole, and its faults are named by index`() throws {
        let text = #"[{"type":"reset"},{"type":"incremented","payload":{"by":1}}]"#
        let batch = try coder.decodeBatch(text: text)
        #expect(batch.map(\.action) == [.reset, .incremented(by: 1)])
        let bad = #"[{"type":"reset"},{"type":"incremented","payload":{"by":null}}]"#
        let failure = #expect(throws: ActionFailure.self) {
            try coder.decodeBatch(text: bad)
        }
        guard case .badPayload(let pointer, _)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(pointer.description == "/1/payload/by")
        let unknown = #expect(throws: ActionFailure.self) {
            try coder.decodeBatch(text: #"[{"type":"x"}]"#)
        }
        #expect(
            unknown == .unknownType("x", nearest: [], pointer: JSONPointer(tokens: ["0", "type"])))
        let many = #expect(throws: ActionFailure.self) {
            try coder.decodeBatch(text: text, maximumCount: 1)
        }
        #expect(many == .tooManyActions(limit: 1))
    }

    @Test func `a batch is known by its first byte`() {
        #expect(ActionCoder<SampleAction, SampleFact>.isBatch(text: " \n["))
        #expect(!ActionCoder<SampleAction, SampleFact>.isBatch(text: #" {"a":[]}"#))
        #expect(!ActionCoder<SampleAction, SampleFact>.isBatch(text: ""))
    }

    @Test func `the types are known where coding keys can be counted`() throws {
        #expect(
            coder.knownTypes == [
                "home/jumped", "home/refreshed", "home/searchEdited", "incremented", "moved",
                "named",
                "noted", "reset", "tagged",
            ])
        #expect(coder.knownFactTypes == ["failed", "loaded"])
        #expect(try ActionCoder<SampleAction, Never>().knownFactTypes.isEmpty)
        #expect(try ActionCoder<PlainFact, Never>().knownTypes.isEmpty)
        #expect(try ActionCoder<ButtonAction, Never>().knownTypes == ["pressed", "released"])
        #expect(try ActionCoder<DeepAction, Never>().knownTypes == ["stop"])
    }

    @Test func `types that cannot be told apart are refused at start`() {
        let mixed = #expect(throws: ActionCoderError.self) {
            _ = try ActionCoder<MixedAction, Never>()
        }
        #expect(mixed == .mixedLabels(type: "one"))
        let shared = #expect(throws: ActionCoderError.self) {
            _ = try ActionCoder<SampleAction, SampleAction>()
        }
        #expect(shared == .inActionAndFact(type: "home/jumped"))
        let labelled = #expect(throws: ActionCoderError.self) {
            _ = try ActionCoder<LabelledGroup, Never>()
        }
        #expect(labelled == .groupBesideOthers(type: "home"))
        let more = #expect(throws: ActionCoderError.self) {
            _ = try ActionCoder<GroupAndMore, Never>()
        }
        #expect(more == .groupBesideOthers(type: "home"))
    }

    @Test func `an enum with raw values is a list of types`() throws {
        let buttons = try ActionCoder<ButtonAction, Never>()
        #expect(try buttons.encoded(.pressed) == #"{"type":"pressed"}"#)
        #expect(try buttons.decode(text: #"{"type":"pressed"}"#).action == .pressed)
        let failure = #expect(throws: ActionFailure.self) {
            try buttons.decode(text: #"{"type":"pushed"}"#)
        }
        let pointer = JSONPointer(tokens: ["type"])
        #expect(failure == .unknownType("pushed", nearest: ["pressed"], pointer: pointer))
    }

    @Test func `groups inside themselves end`() throws {
        let deep = try ActionCoder<DeepAction, Never>()
        var action = DeepAction.stop
        for _ in 0..<20 { action = .down(action) }
        let text = try deep.encoded(action)
        #expect(try deep.encoded(deep.decode(text: text).action) == text)
        let path = String(repeating: "down/", count: 100_000) + "stop"
        #expect(throws: ActionFailure.self) {
            try deep.decode(text: #"{"type":"\#(path)"}"#)
        }
    }

    @Test func `what is no enum cannot be an action`() throws {
        let coder = try ActionCoder<NoEnum, Never>()
        var bytes: [UInt8] = []
        let failure = #expect(throws: EncodingFailure.self) {
            try coder.encode(NoEnum(), into: &bytes)
        }
        #expect(failure?.reason == .notAnAction)
        #expect(bytes.isEmpty)
        #expect(throws: ActionFailure.self) { try coder.decode(text: #"{"type":"a"}"#) }
    }
}

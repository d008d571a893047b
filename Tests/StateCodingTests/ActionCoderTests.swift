import Redux
import StateCoding
import Testing

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

    /// The action of what a journal holds.
    func decodeLogged(text: String) throws(ActionFailure) -> Action {
        let bytes = Array(text.utf8)
        return try decodeLogged(bytes.span).action
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
    let coder: ActionCoder<SampleAction>

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
    }

    @Test func `order, white space, escapes and unknown members do not matter`() throws {
        let text =
            #" { "x" : [1] , "payload":{"z":0,"text":"b"},"meta":{"a": 1},"type":"home\/search\u0045dited"} "#
        let envelope = try decode(text)
        #expect(envelope.action == .home(.searchEdited(text: "b")))
        #expect(envelope.type == "home/searchEdited")
    }

    @Test(
        arguments: [
            (#"{"type":"reset"}"#, nil), (#"{"type":"reset","payload":"\"meta\":1"}"#, nil),
            (#"{"type":"reset","meta":{"a":1}}"#, #"{"a":1}"#),
            (#"{"m\u0065ta" : "a  b" }"#, #""a  b""#),
            ("{\"meta\":\t{\"a b\" : [ 1 ,\r\n2 ]\n}}", #"{"a b":[1,2]}"#),
        ] as [(String, String?)])
    func `what an action has beside it is logged on one line`(body: String, meta: String?) {
        let outcomes: [Outcome] = [.dropped, .accepted(first: 7, last: 7, changed: true)]
        for (body, outcomes) in [(body, []), ("[{},\(body)]", outcomes)] {
            let bytes = Array(body.utf8)
            let metas = ActionCoder<SampleAction>.metas(in: bytes.span, outcomes, from: 7)
            #expect(metas.mapValues { String(decoding: $0, as: UTF8.self) }[7] == meta)
            #expect(metas.count == (meta == nil ? 0 : 1))
        }
    }

    /// Values without labels, of every kind of number, that may be absent.
    enum Sparse: ActionGroup, Equatable {
        case small(Int8?, Int16?, UInt8?, UInt16?), large(Int32?, UInt32?, Int64?, UInt64?)
        case other(UInt?, Float?, Int128?, UInt128?), common(Int?, Bool?, Double?, String?)
    }

    @Test(arguments: [
        Sparse.small(nil, 1, nil, 2), .small(1, nil, 2, nil), .large(nil, 1, nil, 2),
        .large(1, nil, 2, nil), .other(nil, 1, nil, 2), .other(1, nil, 2, nil),
        .common(nil, true, nil, "a"), .common(1, nil, 2, nil),
    ])
    func `a value that is absent keeps its place`(action: Sparse) throws {
        let coder = try ActionCoder<Sparse>()
        let text = try coder.encoded(action)
        #expect(try coder.decode(text: text).action == action, "\(text)")
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
        #expect(ActionCoder<SampleAction>.isBatch(text: " \n["))
        #expect(!ActionCoder<SampleAction>.isBatch(text: #" {"a":[]}"#))
        #expect(!ActionCoder<SampleAction>.isBatch(text: ""))
    }

    @Test func `the types of actions and of facts are listed apart`() throws {
        #expect(
            coder.knownTypes == [
                "home/jumped", "home/refreshed", "home/searchEdited", "incremented", "moved",
                "named", "noted", "reset", "tagged",
            ])
        #expect(coder.factTypes == ["arrived", "home/found"])
        #expect(try ActionCoder<ButtonAction>().knownTypes == ["pressed", "released"])
        #expect(try ActionCoder<DeepAction>().knownTypes == ["stop"])
        #expect(coder.paths(to: HomeAction.self) == ["home"])
        #expect(coder.paths(to: ButtonAction.self) == [])
    }

    @Test func `a case whose coding key has another text goes by that text`() throws {
        let coder = try ActionCoder<RenamedAction>()
        #expect(coder.knownTypes == ["changed", "cleared", "list/said"])
        #expect(coder.factTypes == ["list/heard"])
        let json = #"{"type":"changed","payload":{"words":"x"}}"#
        #expect(try coder.encoded(.edited(text: "x")) == json)
        #expect(try coder.decode(text: json).action == .edited(text: "x"))
    }

    @Test func `an enum with raw values is a list of types`() throws {
        let buttons = try ActionCoder<ButtonAction>()
        #expect(try buttons.encoded(.pressed) == #"{"type":"pressed"}"#)
        #expect(try buttons.decode(text: #"{"type":"pressed"}"#).action == .pressed)
        let failure = #expect(throws: ActionFailure.self) {
            try buttons.decode(text: #"{"type":"pushed"}"#)
        }
        let pointer = JSONPointer(tokens: ["type"])
        #expect(failure == .unknownType("pushed", nearest: ["pressed"], pointer: pointer))
    }

    @Test func `a group of one case without values is a level of type paths`() throws {
        let coder = try ActionCoder<ShellAction>()
        #expect(
            coder.knownTypes == [
                "blank", "marked", "pair/opened", "plain", "row/opened", "tab/opened",
                "window/tab/opened",
            ])
        #expect(coder.factTypes == ["bell/rung", "window/bell/rung"])
        let actions: [ShellAction] = [
            .tab(.opened), .row(id: 1, .opened), .pair(mark: Blank(), .opened), .blank(Blank()),
            .marked(mark: Blank(), also: Blank()), .window(.tab(.opened)), .plain,
        ]
        for action in actions {
            #expect(try coder.decode(text: coder.encoded(action)).action == action)
        }
        for fact in [ShellAction.bell(.rung), .window(.bell(.rung))] {
            let text = try coder.encoded(fact)
            #expect(try coder.decodeLogged(text: text) == fact)
            let failure = #expect(throws: ActionFailure.self) { try coder.decode(text: text) }
            guard case .factNotAllowed? = failure else {
                Issue.record("\(String(describing: failure))")
                continue
            }
        }
    }

    @Test func `groups inside themselves end`() throws {
        let deep = try ActionCoder<DeepAction>()
        var action = DeepAction.stop
        for _ in 0..<20 { action = .down(action) }
        let text = try deep.encoded(action)
        #expect(try deep.encoded(deep.decode(text: text).action) == text)
        let path = String(repeating: "down/", count: 100_000) + "stop"
        #expect(throws: ActionFailure.self) {
            try deep.decode(text: #"{"type":"\#(path)"}"#)
        }
    }
}

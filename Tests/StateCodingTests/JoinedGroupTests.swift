import Redux
import StateCoding
import Testing

struct JoinedGroupTests {
    let coder: ActionCoder<RowsAction>

    init() throws { coder = try ActionCoder() }

    static let forms: [(RowsAction, String)] = [
        (
            .row(id: "7", .renamed(name: "Milk")),
            #"{"type":"row/renamed","payload":{"id":"7","name":"Milk"}}"#
        ),
        (
            .row(id: "7", .resized(width: 1, height: nil)),
            #"{"type":"row/resized","payload":{"id":"7","width":1}}"#
        ),
        (.row(id: "7", .removed), #"{"type":"row/removed","payload":{"id":"7"}}"#),
        (.row(id: "7", .rated(5)), #"{"type":"row/rated","payload":{"id":"7","rated":5}}"#),
        (
            .row(id: "7", .noted(nil)),
            #"{"type":"row/noted","payload":{"id":"7","noted":null}}"#
        ),
        (.row(id: "7", .moved(1, 2)), #"{"type":"row/moved","payload":{"id":"7","moved":[1,2]}}"#),
        (
            .row(id: "a\"/b", .tagged(.bowl([.pear(1)]))),
            #"{"type":"row/tagged","payload":{"id":"a\"/b","tagged":{"bowl":[{"pear":1}]}}}"#
        ),
        (
            .row(id: "7", .tagged(.plum(weight: 1, ripe: nil))),
            #"{"type":"row/tagged","payload":{"id":"7","tagged":{"plum":{"weight":1}}}}"#
        ),
        (
            .row(id: "7", .gaps(nil, "x")),
            #"{"type":"row/gaps","payload":{"id":"7","gaps":[null,"x"]}}"#
        ),
        (
            .table(.cell(x: 1, y: 2, .row(id: "7", .renamed(name: "n")))),
            #"{"type":"table/cell/row/renamed","payload":{"x":1,"y":2,"id":"7","name":"n"}}"#
        ),
        (
            .table(.cell(x: 1, y: 2, .row(id: "7", .moved(3, 4)))),
            #"{"type":"table/cell/row/moved","payload":{"x":1,"y":2,"id":"7","moved":[3,4]}}"#
        ),
        (
            .table(.cell(x: 1, y: 2, .inside(.rated(3)))),
            #"{"type":"table/cell/inside/rated","payload":{"x":1,"y":2,"rated":3}}"#
        ),
        (
            .table(.cell(x: 1, y: 2, .inside(.removed))),
            #"{"type":"table/cell/inside/removed","payload":{"x":1,"y":2}}"#
        ),
        (
            .table(.cell(x: 1, y: 2, .edited(text: "t", at: 0.5))),
            #"{"type":"table/cell/edited","payload":{"x":1,"y":2,"text":"t","at":0.5}}"#
        ),
        (
            .key(id: 1, hint: nil, .pressed),
            #"{"type":"key/pressed","payload":{"id":1}}"#
        ),
        (.key(id: nil, hint: nil, .released), #"{"type":"key/released","payload":{}}"#),
        (.search(text: "x"), #"{"type":"search","payload":{"text":"x"}}"#),
    ]

    @Test(arguments: forms)
    func `a group's values join the labelled values before it`(
        action: RowsAction, json: String
    ) throws {
        #expect(try coder.encoded(action) == json)
        #expect(try coder.decode(text: json).action == action)
        #expect(try coder.decodeLogged(text: json) == action)
        let batch = try coder.decodeBatch(text: "[\(json),\(json)]")
        #expect(batch.map(\.action) == [action, action])
    }

    @Test func `an answer stands under the name of its case`() throws {
        let fact = RowsAction.row(id: "7", .saved(.value(true)))
        let json = #"{"type":"row/saved","payload":{"id":"7","saved":{"value":true}}}"#
        #expect(try coder.encoded(fact) == json)
        #expect(try coder.decodeLogged(text: json) == fact)
        let failure = #expect(throws: ActionFailure.self) { try coder.decode(text: json) }
        #expect(failure == .factNotAllowed("row/saved", pointer: JSONPointer(tokens: ["type"])))
    }

    @Test func `the types below it are known`() {
        #expect(coder.knownTypes.count == 28)
        #expect(coder.factTypes.count == 3)
        #expect(coder.knownTypes.contains("table/cell/row/gaps"))
        #expect(coder.paths(to: RowAction.self) == ["row", "table/cell/inside", "table/cell/row"])
    }

    @Test(arguments: [
        (#"{"type":"row/renamed","payload":{"id":7,"name":"x"}}"#, "/payload/id"),
        (#"{"type":"row/renamed","payload":{"name":"x"}}"#, "/payload/id"),
        (#"{"type":"row/renamed","payload":{"id":"7","name":1}}"#, "/payload/name"),
        (#"{"type":"row/renamed","payload":{"id":"7"}}"#, "/payload/name"),
        (#"{"type":"row/renamed","payload":[]}"#, "/payload"),
        (#"{"type":"row/renamed"}"#, "/payload/id"),
        (#"{"type":"row/rated","payload":{"id":"7"}}"#, "/payload/rated"),
        (#"{"type":"row/rated","payload":{"id":"7","rated":"x"}}"#, "/payload/rated"),
        (#"{"type":"row/moved","payload":{"id":"7","moved":[1]}}"#, "/payload/moved"),
        (#"{"type":"row/moved","payload":{"id":"7","moved":[1,2,3]}}"#, "/payload/moved"),
        (#"{"type":"row/moved","payload":{"id":"7","moved":[1,"x"]}}"#, "/payload/moved/1"),
        (#"{"type":"row/moved","payload":{"id":"7"}}"#, "/payload/moved"),
        (
            #"{"type":"row/tagged","payload":{"id":"7","tagged":{"pear":"x"}}}"#,
            "/payload/tagged/pear"
        ),
        (#"{"type":"row/removed","payload":null}"#, "/payload"),
        (#"{"type":"table/cell/inside/rated","payload":{"x":1,"rated":1}}"#, "/payload/y"),
    ])
    func `a bad payload is named by its pointer`(text: String, pointer: String) {
        let failure = #expect(throws: ActionFailure.self) { try coder.decode(text: text) }
        guard case .badPayload(let found, let detail)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(found.description == pointer)
        #expect(!detail.contains("_0"))
    }

    @Test(arguments: [
        "row", "row/", "row/x", "row/renamed/x", "row/id", "table/cell", "search/text", "key",
        "key/pushed", "row/row/renamed",
    ])
    func `an unknown type is refused, whatever the payload`(type: String) {
        for payload in ["{}", "null", "1", #"{"id":"7","name":"x","text":"y"}"#, #"{"id":7}"#] {
            let failure = #expect(throws: ActionFailure.self) {
                try coder.decode(text: #"{"type":"\#(type)","payload":\#(payload)}"#)
            }
            guard case .unknownType(type, _, _)? = failure else {
                Issue.record("\(type) \(payload): \(String(describing: failure))")
                return
            }
        }
    }

    @Test func `nil may be left out, and labels may stand in any order`() throws {
        #expect(
            try coder.decode(text: #"{"type":"row/noted","payload":{"id":"7"}}"#).action
                == .row(id: "7", .noted(nil)))
        #expect(
            try coder.decode(text: #"{"type":"row/renamed","payload":{"name":"n","z":1,"id":"7"}}"#)
                .action == .row(id: "7", .renamed(name: "n")))
        #expect(
            try coder.decode(text: #"{"type":"key/pressed"}"#).action
                == .key(id: nil, hint: nil, .pressed))
    }

    @Test func `a failure to write is found at its place`() throws {
        let coder = try ActionCoder<RottenAction>()
        var bytes = Array("before".utf8)
        let failure = #expect(throws: EncodingFailure.self) {
            try coder.encode(
                .row(id: "a long label", .inside(.pears(at: [RottenPear()]))), into: &bytes)
        }
        #expect(
            failure?.pointer.description == "/payload/at/0"
                || failure?.pointer.description == "/at/0")
        #expect(String(decoding: bytes, as: UTF8.self) == "before")
    }

    @Test func `values that write out of order stand where they belong`() throws {
        let coder = try ActionCoder<LateAction>()
        #expect(
            try coder.encoded(.row(late: LateValue(), .renamed(name: "n")))
                == #"{"type":"row/renamed","payload":{"late":{"super":{"x":1},"y":2},"name":"n"}}"#)
        #expect(
            try coder.encoded(.row(late: LateValue(isInterleaved: true), .renamed(name: "n")))
                == #"{"type":"row/renamed","payload":{"late":{"x":{"x":1,"z":3},"y":{"y":2}},"name":"n"}}"#
        )
    }
}

enum RottenAction: ActionGroup { case row(id: String, RottenGroup) }
enum RottenGroup: ActionGroup { case inside(RottenLeaf) }
enum RottenLeaf: ActionGroup { case pears(at: [RottenPear]) }

struct RottenPear: StateValue {
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws { throw Pear.Rotten() }
}

enum LateAction: ActionGroup { case row(late: LateValue, InnerFacts) }

struct LateValue: StateValue {
    var isInterleaved = false

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: SampleKey.self)
        guard isInterleaved else {
            let late = container.superEncoder()
            try container.encode(2, forKey: .y)
            var inside = late.container(keyedBy: SampleKey.self)
            return try inside.encode(1, forKey: .x)
        }
        var first = container.nestedContainer(keyedBy: SampleKey.self, forKey: .x)
        var second = container.nestedContainer(keyedBy: SampleKey.self, forKey: .y)
        try first.encode(1, forKey: .x)
        try second.encode(2, forKey: .y)
        try first.encode(3, forKey: .z)
    }
}

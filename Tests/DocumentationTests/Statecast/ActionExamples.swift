import Statecast
import StatecastTesting
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

@Suite struct `Actions on the wire` {
    private let home = "/list/sessions/home"
    private let coder: ActionCoder<ShoppingAction>

    init() throws {
        coder = try ActionCoder()
    }

    @Test(arguments: [
        (ShoppingAction.ordered, #"{"type":"ordered"}"#),
        (.search(.edited(text: "mi")), #"{"type":"search/edited","payload":{"text":"mi"}}"#),
        (.search(.cleared), #"{"type":"search/cleared"}"#),
        (.list(.bought(id: "17")), #"{"type":"list/bought","payload":{"id":"17"}}"#),
    ])
    func `are the path of their cases and what those hold`(
        action: ShoppingAction, json: String
    ) throws {
        var bytes: [UInt8] = []
        try coder.encode(action, into: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == json)
        #expect(try coder.decode(bytes.span).action == action)
    }

    @Test func `with one unlabelled value have it as their payload`() throws {
        let json = Array(#"{"type":"card/scanned","payload":"4711-0815"}"#.utf8)
        #expect(try coder.decode(json.span).action == .card(.scanned(Secret("4711-0815"))))
    }

    @Test func `are known by their types`() {
        #expect(
            coder.knownTypes == [
                "card/asked", "card/putAway", "card/scanned", "list/added", "list/bought",
                "list/removed", "ordered", "search/cleared", "search/edited",
            ])
    }

    @Test func `are answered with the version that they became`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let answer = try server.post(
                home, #"{"type":"search/edited","payload":{"text":"x"}}"#)
            #expect(
                try shown(answer, of: home, on: server)
                    == #"{"version":1,"token":"k3f9x2-1","changed":true}"#)
        }
    }

    @Test func `in an array are all taken or none`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let batch = """
                [{"type":"list/added","payload":{"name":"Milk"}},
                 {"type":"list/bought","payload":{"id":"17"}}]
                """
            let answer = try server.post(home, batch)
            #expect(
                answer.body == """
                    {"type":"/problems/rejected/out-of-scope","title":"Conflict","status":409,\
                    "detail":"It is not there any more.","index":1,"pointer":"/1",\
                    "code":"out-of-scope","errors":[{"pointer":"/1","code":"out-of-scope",\
                    "detail":"It is not there any more."}]}
                    """)
            #expect(try server.send("GET", "\(home)/state?select=/items").body == "[]")
        }
    }

    @Test(arguments: [
        (#"{"type":"ordred"}"#, 422, "unknown-action"),
        (#"{"type":"search/edited","payload":{"text":5}}"#, 422, "bad-payload"),
        (#"{"type":"answered","payload":{"value":"order-1"}}"#, 422, "fact-not-allowed"),
        (#"{"type":"ordered""#, 400, "malformed-json"),
        (#"{"type":"ordered"}"#, 409, "rejected/nothing-to-order"),
        (#"{"type":"list/added","payload":{"name":""}}"#, 422, "rejected/empty-name"),
    ])
    func `are refused with a problem`(body: String, status: Int, code: String) async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let answer = try server.post(home, body)
            #expect(answer.status == status)
            #expect(try answer.json()["type"]?.string == "/problems/\(code)")
        }
    }

    @Test func `with a wrong payload are told where`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let answer = try server.post(
                home, #"{"type":"search/edited","payload":{"text":5}}"#)
            #expect(answer.body.contains(#""pointer":"/payload/text""#))
            let unknown = try server.post(home, #"{"type":"ordred"}"#)
            #expect(
                unknown.body == """
                    {"type":"/problems/unknown-action","title":"Unprocessable Content",\
                    "status":422,"detail":"There is no action ordred.","pointer":"/type",\
                    "known":["ordered"]}
                    """)
        }
    }

    @Test func `settle with all that followed`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            try server.post(home, #"{"type":"list/added","payload":{"name":"Milk"}}"#)
            let answer = try server.post(home, #"{"type":"ordered"}"#, query: "?settle=10")
            #expect(answer.body.contains(#""settled":true"#))
            let order = try server.send("GET", "\(home)/state?select=/order")
            #expect(order.body == #"{"taken":{"number":"order-1"}}"#)
        }
    }

    @Test func `are states in the same forms`() throws {
        func json(_ value: some Encodable) throws -> String {
            var bytes: [UInt8] = []
            try StateEncoder().encode(value, into: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(try json(ShoppingState.Order.open) == #"{"open":{}}"#)
        #expect(
            try json(ShoppingState.Order.taken(number: "17")) == #"{"taken":{"number":"17"}}"#)
        #expect(try json(["b": 1, "a": 2]) == #"{"a":2,"b":1}"#)
        #expect(try json(Set(["b", "a"])) == #"["a","b"]"#)
        #expect(try json(Timestamp(milliseconds: 17)) == #"{"milliseconds":17}"#)
    }
}

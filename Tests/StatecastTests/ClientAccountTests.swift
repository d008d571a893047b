import Statecast
import StatecastTesting
import Testing

@Suite(.onBothJournals) struct `The account of a client` {
    private static func limited(to count: Int) -> ServerConfiguration {
        var configuration = TestServer.configuration
        configuration.sessionLimits.projectionCount = count
        return configuration
    }

    @Test
    func `has a share of a session's selections, and classes of viewers find room before them`()
        async throws
    {
        try await HandsTable.serve(Self.limited(to: 20)) { table in
            func first(_ name: String, _ query: String = "") throws -> (TestEvents, String?) {
                let stream = try table.events(name, query)
                return (stream, try stream.next()?.name)
            }
            let carol = try first("carol").0
            let eves = try (0..<20).map { try first("eve", "?view=top&count=\(20 + $0)") }
            #expect(eves.count { $0.1 == "message" } == 16)
            #expect(try first("eve", "?select=/pile").1 == "busy")
            // Others choose, until there is no room; who plays is shown the table all the same.
            let others = try (0..<9).map { try first("mallory", "?view=top&count=\(40 + $0)") }
            #expect(others.contains { $0.1 == "busy" })
            for name in ["alice", "bob", "dave"] { #expect(try first(name).1 == "message") }
            #expect(try first("alice", "?view=mine").1 == "message")
            try table.sit("carol")
            #expect(try carol.next()?.data.contains(#""hand":[]"#) == true)
            try table.draw(33, "carol")
            #expect(try carol.next()?.data.contains(#""hand":[33]"#) == true)
        }
    }

    @Test(arguments: ["", "&patch=json-patch"])
    func `may select many parts that are not there, which take the room of one`(mode: String)
        async throws
    {
        try await HandsTable.serve(Self.limited(to: 3)) { table in
            func open(_ name: String, _ pointer: String) throws -> TestEvents {
                let stream = try table.events(name, "?select=\(pointer)\(mode)")
                #expect(try stream.next()?.name == "out-of-scope")
                return stream
            }
            let streams = try (0..<30).map { try open("dave", "/none\($0)") }
            let (one, two) = (try open("dave", "/counts/carol"), try open("dave", "/counts/carol"))
            let own = try open("carol", "/hand")
            try table.draw(7, "alice")
            try table.sit("carol")
            for stream in [one, two] { try expect(stream, shows: "0") }
            try expect(own, shows: "[]")
            try table.draw(33, "carol")
            #expect(try own.next()?.data.contains("33") == true)
            for stream in [one, two] { #expect(try stream.next()?.data.contains("1") == true) }
            try table.stand("carol")
            for stream in [one, two, own] { #expect(try stream.next()?.name == "out-of-scope") }
            withExtendedLifetime(streams) {}
        }
    }

    @Test func `has what was not there among its selections once it is there`() async throws {
        try await HandsTable.serve(Self.limited(to: 20)) { table in
            try table.sit("carol")
            let streams = try (0..<18).map { try table.events("carol", "?select=/hand/\($0)") }
            for stream in streams { #expect(try stream.next()?.name == "out-of-scope") }
            let drawn = (0..<18).map { #"{"type":"drew","payload":{"card":\#($0)}}"# }
            try table.post("[\(drawn.joined(separator: ","))]", "carol")
            let names = try streams.map { try $0.next()?.name }
            #expect(names.count { $0 == "message" } == 16 && names.count { $0 == "busy" } == 2)
            #expect(try table.events("carol").next()?.name == "message")
        }
    }

    private func expect(_ stream: TestEvents, shows json: String) throws {
        let data = try stream.next()?.data ?? ""
        #expect(data == json || data.hasSuffix(#""state":\#(json)}"#), "\(data)")
    }

    @Test func `has a share of a session's keys, by the network where nobody says who they are`()
        async throws
    {
        try await Demo.counter(changing: {
            $0.sessionLimits.idempotencyKeyCount = 64
            $0.clientAddressField = "x-forwarded-for"
        }) { demo in
            func post(_ key: String, from address: String) throws -> TestAnswer {
                try demo.increment(
                    fields: ["Idempotency-Key": key, "X-Forwarded-For": "1.2.3.4, \(address)"])
            }
            for number in 0..<16 {
                #expect(try post("k\(number)", from: "10.0.0.\(number)").status == 200)
            }
            let full = try post("k16", from: "10.0.0.99")
            #expect(full.status == 503 && full.problem == "too-many-keys")
            #expect(try post("k16", from: "10.0.1.1").status == 200)
            // A repeat counts wherever it comes from.
            let again = try post("k3", from: "2001:db8::1")
            #expect(again.fields["idempotency-replayed"] == "true")
            #expect(try demo.get("/state").body == #"{"count":17}"#)
        }
    }

    @Test(arguments: [nil, "x-forwarded-for"])
    func `has a bound of connections, and a proxy that tells its clients none`(
        field: String?
    ) async throws {
        try await Demo.counter(changing: {
            $0.limits.connectionsPerAddress = 2
            $0.clientAddressField = field
        }) { demo in
            let streams = (0..<5).compactMap { _ in try? demo.server.events(demo.path) }
            let shown = streams.count { (try? $0.next()) ?? nil != nil }
            #expect(field == nil ? (1...2).contains(shown) : shown == 5)
        }
    }

    @Test func `has a share of the streams, and of the compressed ones`() async throws {
        try await Demo.counter(changing: {
            $0.limits.compressedStreamCount = 64
            $0.limits.connectionCount = 80
            $0.clientAddressField = "x-forwarded-for"
        }) { demo in
            func open(from address: String) throws -> InflatingStream {
                try InflatingStream(
                    demo.server, "\(demo.path)/events?compression=gzip",
                    fields: ["X-Forwarded-For": address])
            }
            let coding = "Content-Encoding: gzip"
            let streams = try (0..<20).map { try open(from: "10.0.0.\($0)") }
            #expect(streams.count { $0.head.contains(coding) } == 16)
            #expect(try open(from: "10.0.1.1").head.contains(coding))
            func first(from address: String) throws -> String? {
                try demo.server.events(demo.path, fields: ["X-Forwarded-For": address]).next()?.name
            }
            #expect(try first(from: "10.0.0.9") == "busy" && first(from: "10.0.1.2") == "message")
        }
    }
}

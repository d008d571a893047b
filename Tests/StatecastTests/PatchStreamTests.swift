import Sockets
import StateCoding
import Statecast
import Testing

@testable import StatecastTesting

/// Applies what a stream of patches brings, as its clients do.
private struct PatchedState {
    private(set) var document: PatchedDocument?
    private(set) var version: UInt64 = 0

    var text: String? { document.map { String(decoding: $0.bytes(), as: UTF8.self) } }

    /// Takes an event over; its name.
    @discardableResult
    mutating func take(_ name: String, _ data: String) throws -> String {
        let bytes = Array(data.utf8)
        let root = try JSONValue(parsing: bytes.span)
        if let state = root["state"] {
            document = PatchedDocument(Array(bytes[state.range]))
        } else if let operations = root["ops"] {
            let from = UInt64(try #require(root["from"]?.integer))
            #expect(from <= version, "the patch leads on from what the client has")
            let patch = Array(bytes[operations.range])
            try document?.apply(patch.span)
        }
        if let new = root["version"]?.integer {
            #expect(version < UInt64(new) || name == "snapshot")
            version = UInt64(new)
        }
        return name
    }

    @discardableResult
    mutating func next(_ events: TestEvents) throws -> String {
        let event = try #require(try events.next())
        return try take(event.name, event.data)
    }
}

@Suite(.onBothJournals) struct `A stream of patches` {
    private static let patches = "?patch=json-patch"

    private func add(_ text: String, to demo: Demo) throws {
        let answer = try demo.dispatch("added", "\"\(text)\"")
        #expect(answer.status == 200)
    }

    private func state(_ demo: Demo, _ query: String = "") throws -> String {
        try demo.get("/state" + query).body
    }

    @Test func `begins with a snapshot and goes on with what changes`() async throws {
        try await Demo.notes { demo in
            let events = try demo.events(Self.patches)
            let first = try #require(try events.next())
            #expect(first.name == "snapshot")
            let state = #""state":{"notes":[],"loads":0,"starts":0}}"#
            #expect(first.data == #"{"version":0,"sees":"state","schema":1,\#(state)"#)
            try add("milk", to: demo)
            let second = try #require(try events.next())
            #expect(second.name == "patch")
            #expect(
                second.data
                    == #"{"from":0,"version":1,"ops":[{"op":"add","path":"/notes/0","value":"milk"}]}"#
            )
            #expect(second.id?.hasSuffix("-1") == true)
        }
    }

    @Test(arguments: ["", "&select=/notes", "&view=last", "&compression=gzip"])
    func `brings each client to the bytes that the server has`(query: String) async throws {
        try await Demo.notes { demo in
            let events = try demo.events(Self.patches + query)
            var client = PatchedState()
            for index in 0..<20 {
                try add("note \(index)", to: demo)
                if index % 5 == 4 {
                    try demo.dispatch("opened", #"{"text":"\#(index)"}"#)
                    try demo.dispatch("closed", "{}")
                }
            }
            let selection = query.hasPrefix("&com") ? "" : query.replacing("&", with: "?")
            let end = try state(demo, selection)
            while client.text != end { try client.next(events) }
            #expect(client.version >= 20)
        }
    }

    @Test func `sends each client its format, though all are sent the same patch`() async throws {
        try await Demo.notes { demo in
            let lines: [String: String] = ["Accept": "application/x-ndjson"]
            let first = try demo.events(Self.patches)
            let second = try demo.events(Self.patches, fields: lines)
            let third = try demo.events(Self.patches)
            let fourth = try demo.events(Self.patches, fields: lines)
            for number in 0..<4 {
                for events in [first, third] {
                    #expect(try events.next()?.name == (number == 0 ? "snapshot" : "patch"))
                }
                for events in [second, fourth] {
                    let line = try #require(try events.nextLine())
                    let name = number == 0 ? "snapshot" : "patch"
                    #expect(line.hasPrefix(#"{"event":"\#(name)","token":""#))
                }
                try add("note \(number)", to: demo)
            }
        }
    }

    @Test func `sends lines to those who want lines`() async throws {
        try await Demo.notes { demo in
            let events = try demo.events(Self.patches, fields: ["Accept": "application/x-ndjson"])
            let first = try #require(try events.nextLine())
            #expect(first.hasPrefix(#"{"event":"snapshot","token":""#))
            let state = #""state":{"notes":[],"loads":0,"starts":0}}"#
            #expect(first.hasSuffix(#","version":0,"sees":"state","schema":1,\#(state)"#))
            try add("milk", to: demo)
            let second = try #require(try events.nextLine())
            #expect(second.hasPrefix(#"{"event":"patch","token":""#))
            #expect(
                second.hasSuffix(
                    #","from":0,"version":1,"ops":[{"op":"add","path":"/notes/0","value":"milk"}]}"#
                ))
        }
    }

    @Test(arguments: ["", "&select=/notes"])
    func `goes on where a client was, with exactly what it missed`(query: String) async throws {
        try await Demo.notes { demo in
            let other = try demo.events(Self.patches + query)
            var client = PatchedState()
            try client.next(other)
            let long = String(repeating: "x", count: 500)
            try add(long, to: demo)
            let events = try demo.events(Self.patches + query)
            let id = try #require(try events.next()).id
            client = PatchedState()
            let answer = try demo.get("/state" + query.replacing("&", with: "?"))
            try client.take("snapshot", #"{"version":1,"state":\#(answer.body)}"#)
            try demo.dispatch("opened", #"{"text":"\#(long)"}"#)
            for text in ["b", "c"] { try add(text, to: demo) }
            while try other.next()?.id?.contains("-4") != true {}
            let resumed = try demo.events(Self.patches + query, fields: ["Last-Event-ID": id ?? ""])
            #expect(try client.next(resumed) == "patch")
            #expect(client.version == 4)
            #expect(client.text == (try state(demo, query.replacing("&", with: "?"))))
        }
    }

    @Test(arguments: ["none", "x-3", "future"])
    func `begins with a snapshot where it cannot go on`(id: String) async throws {
        try await Demo.notes { demo in
            let events = try demo.events(Self.patches)
            let first = try #require(try events.next()?.id)
            let known = id == "future" ? first.dropLast() + "99" : "\(id)"
            try add("a", to: demo)
            let resumed = try demo.events(Self.patches, fields: ["Last-Event-ID": String(known)])
            #expect(try resumed.next()?.name == "snapshot")
        }
    }

    @Test func `sends a snapshot for a backlog where that is smaller`() async throws {
        try await Demo.notes { demo in
            let events = try demo.events(Self.patches)
            let id = try #require(try events.next()?.id)
            try demo.dispatch("opened", #"{"text":"b"}"#)
            try add("a", to: demo)
            while try events.next()?.id?.hasSuffix("-2") != true {}
            let resumed = try demo.events(Self.patches, fields: ["Last-Event-ID": id])
            #expect(try resumed.next()?.name == "snapshot")
        }
    }

    @Test func `tells where a part has left the state, and begins anew where it is back`()
        async throws
    {
        try await Demo.notes { demo in
            let events = try demo.events(Self.patches + "&select=/open")
            #expect(try events.next()?.name == "out-of-scope")
            try demo.dispatch("opened", #"{"text":"a"}"#)
            let members = #""version":1,"sees":"state","schema":1"#
            #expect(try events.next()?.data == #"{\#(members),"state":{"text":"a"}}"#)
            try demo.dispatch("opened", #"{"text":"b"}"#)
            #expect(
                try events.next()?.data
                    == #"{"from":1,"version":2,"ops":[{"op":"replace","path":"/text","value":"b"}]}"#
            )
            try demo.dispatch("closed", "{}")
            #expect(try events.next()?.name == "out-of-scope")
        }
    }

    @Test func `joins what a slow client has missed`() async throws {
        try await Demo.notes(changing: { $0.sessionLimits.watcherByteCount = 1 }) { demo in
            let slow = try demo.server.connect()
            try slow.send(
                demo.server.request("GET", demo.path + "/events" + Self.patches, [:], nil))
            let events = try demo.events(Self.patches)
            var client = PatchedState()
            try client.next(events)
            for index in 0..<200 {
                try demo.dispatch("filled", #"{"bytes":\#(20_000 + index)}"#)
            }
            let end = try state(demo)
            while client.text != end { try client.next(events) }
        }
    }

    @Test func `answers a poll by a patch where one is asked for`() async throws {
        try await Demo.notes { demo in
            let path = demo.path + "/state"
            func poll(_ tag: String?, _ query: String = "") throws -> TestAnswer {
                var fields = ["Accept": "application/json-patch+json, application/json;q=0.5"]
                if let tag { fields["If-None-Match"] = "\"\(tag)\"" }
                return try demo.server.send("GET", path + query, fields: fields)
            }
            let first = try poll(nil)
            #expect(first.fields["content-type"] == "application/json")
            #expect(try poll(first.etag).status == 304)
            try add("milk", to: demo)
            let second = try poll(first.etag, "?wait=5")
            #expect(second.fields["content-type"] == "application/json-patch+json")
            #expect(second.body == #"[{"op":"add","path":"/notes/0","value":"milk"}]"#)
            #expect(second.fields["cache-control"] == "no-store")
            #expect(second.fields["vary"]?.contains("Accept") == true)
            #expect(second.etag?.hasSuffix("-1") == true)
            let plain = try demo.server.send(
                "GET", path, fields: ["If-None-Match": "\"\(first.etag ?? "")\""])
            #expect(plain.fields["content-type"] == "application/json")
        }
    }

    @Test func `is asked for by its name alone`() async throws {
        try await Demo.notes { demo in
            let answer = try demo.get("/events?patch=merge-patch")
            #expect(answer.status == 400)
        }
    }
}

import ClientWire
import HTTPMessages
import Testing

@Suite struct `The wire of a client` {
    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func `writes requests with what they are about`() {
        let post = ClientRequest.posting(
            Array(#"{"type":"ordered"}"#.utf8), to: "/list/sessions/home", query: "?settle=1",
            fields: ["Authorization": "Bearer ada"])
        #expect(
            Self.text(post.bytes(to: "localhost:8080")) == """
                POST /list/sessions/home/actions?settle=1 HTTP/1.1\r
                Host: localhost:8080\r
                Authorization: Bearer ada\r
                Content-Type: application/json\r
                Content-Length: 18\r
                \r
                {"type":"ordered"}
                """)
        let stream = ClientRequest.events(of: "/list/sessions/home", behind: "k3f9-42")
        #expect(stream.target == "/list/sessions/home/events" && stream.body == nil)
        #expect(stream.fields == ["Accept": "text/event-stream", "Last-Event-ID": "k3f9-42"])
        let made = ClientRequest.making("/list/sessions/home", input: Array("{}".utf8))
        #expect(made.method == "PUT" && made.fields == ["Content-Type": "application/json"])
        #expect(ClientRequest.making("/a").fields == [:])
        let own = ClientRequest("GET", "/", fields: ["Host": "example.com"]).bytes(to: "localhost")
        #expect(Self.text(own) == "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
    }

    @Test func `comes again later each time, where streams end with their first event`() throws {
        var feed = SessionFeed(of: "/list/sessions/home", seed: 1)
        let description = ClientAnswer(
            status: 200, fields: [:],
            body: Array(
                """
                {"id":"home","token":"e-4","you":{"id":"a","roles":[]},"sees":"state","schema":1,\
                "unpredicted":[]}
                """.utf8))
        var now = Duration.zero
        /// - Returns: the pause behind a stream of so many seconds.
        func pause(behind duration: Duration) throws -> Duration {
            now = try #require(feed.deadline)
            guard case .describe = feed.next(at: now) else { throw CancellationError() }
            feed.describe(.success(description), at: now)
            guard case .watch = feed.next(at: now) else { throw CancellationError() }
            feed.open(at: now)
            let members = #""version":4,"sees":"state","schema":1,"state":{}"#
            feed.read(Array("event: snapshot\nid: e-4\ndata: {\(members)}\n\n".utf8), at: now)
            let isShown = feed.nextNews(at: now) != nil
            #expect(isShown && feed.status == .live)
            now += duration
            feed.end(nil, at: now)
            return try #require(feed.deadline) - now
        }
        for _ in 0..<12 { _ = try pause(behind: .seconds(1)) }
        // A quarter of the longest at least.
        #expect(try pause(behind: .seconds(1)) >= .seconds(5))
        #expect(try pause(behind: .seconds(5)) <= .milliseconds(500))
    }

    @Test func `reads one answer, with lines of one name as one list`() throws {
        let head =
            "HTTP/1.1 200 OK\r\nVary: A\r\nVary: B\r\nETag: \"k-1\"\r\nContent-Length: 2\r\n\r\n"
        let answer = try ClientAnswer(inAll: Array((head + "{}").utf8))
        #expect(answer.status == 200 && Self.text(answer.body) == "{}")
        #expect(answer.fields["vary"] == "A, B" && answer.fields["etag"] == "\"k-1\"")
        #expect(try ClientAnswer(inAll: Array(head.utf8), isToHead: true).body == [])
        for broken in ["", "HTTP/1.1 200 OK\r\n", head + "{"] {
            #expect(throws: ResponseError.self) { try ClientAnswer(inAll: Array(broken.utf8)) }
        }
    }

    private static let stream = """
        retry: 2000

        event: snapshot
        id: k3f9-1
        data: {"version":1,"state":{"items":[]}}

        id: k3f9-2

        event: patch
        id: k3f9-3
        data: {"from":1,"version":3,"ops":[{"op":"add","path":"/items/-","value":"tea"}]}

        event: ping
        data: {}


        """

    @Test func `reads a stream however it is cut, and shows its state`() throws {
        let bytes = Array(Self.stream.utf8)
        for size in [1, 7, bytes.count] {
            var stream = EventStreamReader()
            var document = ClientDocument()
            var seen: [String] = []
            for start in Swift.stride(from: 0, to: bytes.count, by: size) {
                var found: [EventStreamReader.Event] = []
                let piece = Array(bytes[start..<min(start + size, bytes.count)])
                try stream.read(piece.span) { found += $0.event.map { [$0] } ?? [] }
                for event in found {
                    if try document.apply(event.name, event.data, id: event.lastID) == .changed {
                        seen.append(Self.text(document.json ?? []))
                    }
                }
            }
            #expect(seen == [#"{"items":[]}"#, #"{"items":["tea"]}"#])
            #expect(stream.lastID == "k3f9-3" && stream.retryMilliseconds == 2_000)
            #expect(document.token == "k3f9-3")
        }
    }

    @Test(
        arguments: [
            ("message", #"{"a":1}"#, .changed), ("out-of-scope", "{}", .outOfScope),
            ("end", "{}", .none), ("ping", "{}", .none),
        ] as [(String, String, ClientDocument.Change)])
    func `says what an event means`(name: String, data: String, change: ClientDocument.Change)
        throws
    {
        var document = ClientDocument()
        #expect(try document.apply(name, data, id: "k-2") == change)
        #expect(document.json.map(Self.text) == (change == .changed ? data : nil))
    }

    @Test(arguments: [
        ("snapshot", "{}"), ("snapshot", "{"), ("patch", "{}"),
        ("patch", #"{"from":3,"version":4,"ops":[]}"#),
        ("patch", #"{"from":2,"version":4,"ops":[{"op":"remove","path":"/b"}]}"#),
    ])
    func `does not go on where an event does not fit`(name: String, data: String) throws {
        var document = ClientDocument()
        #expect(throws: ClientDocument.Failure.self) {
            try document.apply("patch", #"{"from":0,"version":1,"ops":[]}"#, id: "k-2")
        }
        _ = try document.apply("message", #"{"a":1}"#, id: "k-2")
        #expect(throws: ClientDocument.Failure.self) { try document.apply(name, data, id: "k-2") }
        let isHalfDone = data.contains("remove")
        #expect(document.json.map(Self.text) == (isHalfDone ? nil : #"{"a":1}"#))
        #expect(document.token == "k-2")
    }

    @Test func `shows a state that nests as deep as one may`() throws {
        let state = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
        let patch = #"[{"op":"replace","path":"","value":\#(state)}]"#
        var document = ClientDocument()
        for (name, data) in [
            ("snapshot", #"{"version":1,"state":\#(state)}"#),
            ("patch", #"{"from":1,"version":2,"ops":\#(patch)}"#),
        ] {
            #expect(try document.apply(name, data, id: "k-2") == .changed)
            #expect(document.json.map(Self.text) == state)
        }
    }
}

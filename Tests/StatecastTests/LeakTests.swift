import Gzip
import HTTPMessages
import Logging
import Sockets
import StateCoding
import Statecast
import Testing

@testable import Statecast
@testable import StatecastTesting

/// A request of one who may not see what was planted.
private struct Outlet: Sendable {
    var method: String
    var target: String
    var fields: [String: String] = [:]
    var body: String?

    var title: String { "\(method) \(target) \(fields) \(body ?? "")" }
}

/// Everything that a server gives out about the session `demo`: the resources are those of the
/// routing plan, and the methods of each those that it allows.
private struct Outlets {
    static let session = "/planted/sessions/demo"

    /// Tags and ids that alice was given.
    let tags: [String]

    /// A new resource does not compile here until it is walked, too.
    static func path(of resource: RequestedResource) -> String {
        switch resource {
        case .description: session
        case .state: session + "/state"
        case .actions: session + "/actions"
        case .events: session + "/events"
        case .log: session + "/log"
        case .recording: session + "/recording"
        case .replay: session + "/replay"
        case .forget: session + "/forget"
        case .revert: session + "/revert"
        case .move: session + "/move"
        case .unknown: session + "/secrets"
        case .sessions: "/planted/sessions"
        case .replays: "/planted/sessions?replay=instant"
        case .schema: "/planted/schema"
        case .alive: "/livez"
        case .ready: "/readyz"
        case .metrics: "/metrics"
        case .drain: "/cluster/drain"
        case .problem: "/problems/out-of-scope"
        case .own: "/own"
        case .file: "/demo.json"
        }
    }

    /// The requests of a resource by a method that it allows; none where nobody has thought of it.
    func requests(_ method: String, _ resource: RequestedResource) -> [Outlet] {
        let path = Self.path(of: resource)
        switch (resource, method) {
        case (_, "OPTIONS"): return [Outlet(method: method, target: path)]
        case (.description, "PUT"):
            return conditions.map { Outlet(method: method, target: path, fields: $0) }
        case (.description, "DELETE"):
            // The one that ends the session comes last, elsewhere.
            return tags.map {
                Outlet(method: method, target: path, fields: ["If-Match": "\"x\($0)\""])
            }
        case (.state, "GET"), (.state, "HEAD"),
            (.events, "HEAD"):
            return queries.flatMap { query in
                conditions.map {
                    Outlet(method: method, target: path + query, fields: $0)
                }
            }
        case (.state, "PUT"): return states(to: path)
        case (.log, _), (.recording, _):
            return pages.flatMap { query in
                conditions.map { Outlet(method: method, target: path + query, fields: $0) }
            }
        case (.replay, _):
            return conditions.map {
                let json = ["Content-Type": "application/json"]
                return Outlet(
                    method: method, target: path, fields: json.merging($0) { $1 },
                    body: method == "POST" ? #"{"steps":1}"# : nil)
            }
        case (.drain, "POST"): return [Outlet(method: method, target: path)]
        case (.forget, "POST"), (.revert, "POST"), (.move, "POST"):
            let json = ["Content-Type": "application/json"]
            return [#"{"before":99,"version":99}"#, #"{"before":"x"}"#].map {
                Outlet(method: method, target: path, fields: json, body: $0)
            }
        case (.events, "GET"): return []
        case (.actions, "POST"): return posts(to: path)
        case (.sessions, "POST"): return [Outlet(method: method, target: path)]
        case (.replays, "POST"):
            let lines = ["Content-Type": "application/x-ndjson"]
            return [Outlet(method: method, target: path, fields: lines, body: "{}")]
        case (.description, "GET"), (.description, "HEAD"), (.sessions, "GET"), (.sessions, "HEAD"),
            (.replays, "GET"), (.replays, "HEAD"), (.schema, "GET"), (.schema, "HEAD"),
            (.alive, _), (.ready, _), (.metrics, _), (.problem, "GET"), (.problem, "HEAD"),
            (.own, "GET"), (.own, "HEAD"), (.file, "GET"), (.file, "HEAD"):
            return conditions.map { Outlet(method: method, target: path, fields: $0) }
        default: return []
        }
    }

    /// Streams stay open until the session ends.
    var streams: [Outlet] {
        queries.flatMap { query in
            let mark = query.isEmpty ? "?" : "&"
            let target = Self.session + "/events" + query
            return [
                Outlet(method: "GET", target: target),
                Outlet(
                    method: "GET", target: target, fields: ["Accept": "application/x-ndjson"]),
                Outlet(
                    method: "GET", target: target + mark + "compression=gzip",
                    fields: ["Accept-Encoding": "gzip"]),
                Outlet(method: "GET", target: target, fields: ["Last-Event-ID": tags[0]]),
            ]
        }
    }

    private var queries: [String] {
        [
            "", "?select=/all", "?select=/all/text", "?select=/count", "?select=/told/0",
            "?select=/names/kingfishes", "?select=swordfis", "?view=mine", "?view=mine&id=alice",
            "?view=each", "?view=count", "?view=none", "?view=count&select=/text", "?wait=0.01",
            "?wait=x", "?%ff", "?version=0", "?version=1", "?version=99", "?version=x",
            "?version=1&select=/all", "?version=1&select=/all/text",
            "?version=1&view=mine&id=alice",
            "?version=1&view=each", "?version=1&view=count", "?version=\(tags[0])",
        ]
    }

    private var pages: [String] {
        ["", "?patch=1", "?after=0&limit=1000&patch=1", "?after=99", "?after=x", "?limit=0"]
    }

    private func states(to path: String) -> [Outlet] {
        ["{}", "{", #"{"text":7}"#, #"{"names":{"kingfishes":"x"}}"#, ""].flatMap { body in
            [[:], ["If-Match": "\"\(tags[0])\""], ["Prefer": "return=representation"]].map {
                Outlet(
                    method: "PUT", target: path,
                    fields: ["Content-Type": "application/json"].merging($0) { $1 }, body: body)
            }
        }
    }

    private var conditions: [[String: String]] {
        [[:], ["Accept-Encoding": "gzip"], ["If-None-Match": "*"], ["Prefer": "wait=0"]]
            + tags.map { ["If-None-Match": "\"\($0)\""] } + tags.map { ["If-Match": "\"\($0)\""] }
    }

    private func posts(to path: String) -> [Outlet] {
        let bodies = [
            #"{"type":"counted"}"#, #"{"type":"refused"}"#, #"{"type":"told","payload":"x"}"#,
            #"[{"type":"counted"},{"type":"told","payload":"x"}]"#, "[]", "{", "7",
            #"{"type":"tolds"}"#, #"{"type":"told"}"#, #"{"type":"told","payload":7}"#,
            #"{"type":"told","payload":["x"]}"#, #"{"type":""}"#, "[[[[", "",
        ]
        let wishes = [
            [:], ["Prefer": "return=representation"], ["Idempotency-Key": "alices"],
            ["If-Match": "\"\(tags[0])\""], ["Content-Type": "text/plain"],
            ["Prefer": "return=representation", "Accept-Encoding": "gzip"],
        ]
        return bodies.flatMap { body in
            wishes.flatMap { fields in
                ["", "?settle=0.01", "?settle=x"].map { query in
                    Outlet(
                        method: "POST", target: path + query,
                        fields: ["Content-Type": "application/json"].merging(fields) { $1 },
                        body: body)
                }
            }
        }
    }
}

/// A request of mallory's, and all that comes back, inflated.
private struct Probe {
    let outlet: Outlet
    private let connection: BlockingConnection

    init(_ outlet: Outlet, on server: TestServer, as name: String = "mallory") throws {
        self.outlet = outlet
        connection = try server.connect()
        let fields = outlet.fields.merging(["Authorization": "Bearer \(name)"]) { $1 }
        try connection.send(server.request(outlet.method, outlet.target, fields, outlet.body))
    }

    /// The head and the content, once the server has ended the connection.
    func receive() throws -> String {
        let bytes = try connection.receiveAll()
        var text = ""
        var reader = ResponseReader(answersHead: outlet.method == "HEAD")
        let receive: ResponseReader.Receiver = { _, message, body in
            let head = Slice(0..<body.lowerBound).string(in: message)
            text += head
            text += Self.content(message.extracting(body), isCoded: head.contains("Encoding: gzip"))
        }
        try reader.read(bytes.span, receive)
        try reader.end(receive)
        return text
    }

    private static func content(_ bytes: Span<UInt8>, isCoded: Bool) -> String {
        guard isCoded else { return Slice(0..<bytes.count).string(in: bytes) }
        var plain: [UInt8] = []
        var decompressor = GzipDecompressor(outputLimit: 1 << 20)
        do throws(DecompressionFailure) {
            try decompressor.decompress(bytes, into: &plain)
        } catch {
            Issue.record("\(error)")
        }
        return String(decoding: plain, as: UTF8.self)
    }
}

/// Walks all ways out of a server, with private words in the state of its application.
@Suite(.onBothJournals) struct `Who may not see a state` {
    private static func configuration(_ lines: LogLines) -> ServerConfiguration {
        var configuration = TestServer.configuration
        configuration.logger = Logger(label: "test") { _ in lines.handler }
        configuration.logger.logLevel = .info
        configuration.checksReducers = true
        configuration.limits.compressionThresholdByteCount = 1
        configuration.authorize = { request in
            let name = request.authorization?.split(separator: " ").last ?? ""
            return name.isEmpty
                ? .unauthenticated
                : .granted(Principal(String(name), roles: ["act", "admin", "observe"]))
        }
        return configuration
    }

    private func leaks(in text: String) -> [String] {
        (PlantedApplication.words + [Mishap.word]).filter { text.contains($0) }
    }

    /// Alice tells something, and gets to see everything: returns what she was given as tags.
    private func act(
        on server: TestServer, _ fields: [String: String] = [:]
    ) throws -> [String] {
        let alice = ["Authorization": "Bearer alice"]
        let told = try server.dispatch(
            Outlets.session, "told", #""oystercatcher""#, fields: alice.merging(fields) { $1 })
        #expect(told.status == 200)
        let state = try server.send("GET", Outlets.session + "/state", fields: alice)
        let part = try server.send("GET", Outlets.session + "/state?select=/all", fields: alice)
        #expect(leaks(in: state.body) == PlantedApplication.words)
        #expect(leaks(in: part.body) == PlantedApplication.words)
        return try [told, state, part].map { try #require($0.etag) }
    }

    @Test func `sees nothing of it by any way out`() async throws {
        let lines = LogLines()
        try await TestServer.run(
            Self.configuration(lines),
            serving: {
                Served("/planted", PlantedApplication(), options: SessionOptions(history: .always))
                Route(.get, "/own") { _ in throw Mishap() }
            }
        ) { server in
            try server.create(Outlets.session, fields: ["Authorization": "Bearer alice"])
            let outlets = Outlets(tags: try act(on: server, ["Idempotency-Key": "alices"]))
            let streams = try outlets.streams.map { try Probe($0, on: server) }
            for coding in ["identity", "gzip"] {
                let own = Outlet(
                    method: "GET", target: Outlets.session + "/state",
                    fields: ["Accept-Encoding": coding])
                let text = try Probe(own, on: server, as: "alice").receive()
                #expect(leaks(in: text) == PlantedApplication.words)
            }
            let seen = try Probe(
                Outlet(method: "GET", target: Outlets.session + "/events"), on: server, as: "alice")
            var count = 0
            for resource in RequestedResource.allCases {
                for method in try methods(of: resource, on: server) {
                    let requests = outlets.requests(method, resource)
                    let isStream = method == "GET" && resource == .events
                    #expect(
                        !requests.isEmpty || isStream, "\(method) \(Outlets.path(of: resource))")
                    for outlet in requests {
                        let text = try Probe(outlet, on: server).receive()
                        // The name of a case belongs to the types, which all may know.
                        let names = resource == .schema ? ["nightingale"] : []
                        #expect(
                            leaks(in: text).filter { !names.contains($0) } == [],
                            "\(outlet.title)")
                        count += 1
                    }
                }
                _ = try act(on: server)
            }
            #expect(count > 400)
            let end = Outlet(method: "DELETE", target: Outlets.session)
            #expect(leaks(in: try Probe(end, on: server).receive()) == [])
            for stream in streams {
                let text = try stream.receive()
                #expect(leaks(in: text) == [], "\(stream.outlet.title)")
                #expect(text.hasPrefix("HTTP/1.1 "))
            }
            #expect(leaks(in: try seen.receive()) == PlantedApplication.words)
            #expect(leaks(in: try Probe(end, on: server).receive()) == [])
        }
        #expect(leaks(in: lines.text) == [Mishap.word])
    }

    /// The methods that the routing plan allows.
    private func methods(
        of resource: RequestedResource, on server: TestServer
    ) throws -> [String] {
        let path = Outlets.path(of: resource)
        let answer = try server.send(
            "OPTIONS", path, fields: ["Authorization": "Bearer mallory"])
        guard let allow = answer.fields["allow"] else {
            #expect(answer.problem == "not-found", "\(path)")
            return []
        }
        return allow.split(separator: ", ").map(String.init)
    }
}

/// An error of a route, whose text is for the log alone.
private struct Mishap: Error, CustomStringConvertible {
    static let word = "goldfinch"

    var description: String { Self.word }
}

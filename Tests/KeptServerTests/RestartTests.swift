import Foundation
import JournalSQLite
import Journaling
import StateCoding
import Statecast
import StatecastTesting
import TemporaryFolder
import Testing
import Threads

/// Counts, in a state that is larger than what leads from one to the next.
private struct CountApplication: Application {
    struct State: StateValue {
        var count = 0
        var padding = String(repeating: "x", count: 1_000)
        var box = Box()
    }
    struct Box: StateValue {
        var count = 0
        var label = String(repeating: "y", count: 100)
    }
    enum Action: ActionGroup { case incremented(by: Int) }

    let initialState = State()
    let views = Views<State>.all

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .incremented(let count): state.count += count
        }
        state.box.count = state.count
    }

    func work(in state: State) -> [Work<Action>] {}
}

/// Keeps secrets, of which the first is there from the beginning.
private struct SafeApplication: Application {
    struct State: StateValue {
        var code: Secret<String>?
        var pin = Secret("0000")
    }
    enum Action: ActionGroup { case locked(code: String) }

    let initialState = State()
    let views = Views<State>.all

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .locked(let code): state.code = Secret(code)
        }
    }

    func work(in state: State) -> [Work<Action>] {}
}

/// A folder in which servers keep their sessions, one after the other.
private struct Kept: Sendable {
    static let path = "/counter/sessions/demo"
    private let folder = TemporaryFolder()

    /// Serves counters that are kept while `body` runs, as one process does.
    func serve(
        idle: Duration = .seconds(600), in journal: SQLiteJournal? = nil,
        _ served: @escaping () -> Served = { Served("/counter", CountApplication()) },
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        configuration.journal = try journal ?? self.journal()
        configuration.sessionLimits.idleDuration = idle
        // The journal's history is no longer for what memory may hold.
        configuration.sessionLimits.historyEntryCount = 20
        try await TestServer.run(configuration, serving: { served() }, body: body)
    }

    func journal() throws -> SQLiteJournal { try SQLiteJournal(directory: folder.path) }

}

extension TestServer {
    fileprivate func increment(
        by count: Int = 1, key: String? = nil
    ) throws -> TestAnswer {
        try dispatch(
            Kept.path, "incremented", #"{"by":\#(count)}"#,
            fields: key.map { ["Idempotency-Key": $0] } ?? [:])
    }

    fileprivate func state(_ query: String = "") throws -> TestAnswer {
        try send("GET", "\(Kept.path)/state\(query)")
    }
}

@Suite struct `A session that is kept` {
    private let kept = Kept()

    @Test func `outlives its server, with its token and its keys`() async throws {
        let tokens = Tokens()
        try await kept.serve { server in
            try server.create(Kept.path)
            for number in 1...200 { _ = try server.increment(key: "key-\(number)") }
            let state = try server.state()
            #expect(state.body.hasPrefix(#"{"count":200,"#))
            tokens.note(state.etag)
            tokens.note(try server.state("?select=/count").etag)
        }
        try await kept.serve { server in
            let state = try server.state()
            #expect(state.body.hasPrefix(#"{"count":200,"#) && state.etag == tokens.first)
            #expect(try server.state("?select=/count").etag == tokens.last)
            // Keys of before the last snapshot, and of behind it.
            for number in [1, 100, 200] {
                let again = try server.increment(key: "key-\(number)")
                #expect(again.fields["idempotency-replayed"] == "true")
                let document = try again.json()
                #expect(document["version"]?.integer == number)
            }
            let other = try server.increment(by: 2, key: "key-1")
            #expect(other.status == 422)
            let next = try server.increment(key: "key-201")
            let document = try next.json()
            #expect(document["version"]?.integer == 201)
            #expect(try server.state().body.hasPrefix(#"{"count":201,"#))
        }
    }

    @Test func `has the patches that a client has missed`() async throws {
        let tokens = Tokens()
        try await kept.serve { server in
            try server.create(Kept.path)
            for _ in 1...10 { _ = try server.increment() }
            tokens.note(try server.state().etag)
            for _ in 1...90 { _ = try server.increment() }
        }
        try await kept.serve { server in
            let known = try #require(tokens.first)
            for expected in [100, 101] {
                let events = try server.events(
                    Kept.path, query: "?patch=json-patch", fields: ["Last-Event-ID": known])
                let event = try #require(try events.next())
                #expect(event.name == "patch")
                #expect(event.data.contains(#""from":10,"version":\#(expected),"#))
                #expect(event.data.contains(#""value":\#(expected)}"#))
                _ = try server.increment()
            }
        }
    }

    @Test func `has the changes of a part that a client has missed`() async throws {
        let tokens = Tokens()
        try await kept.serve { server in
            try server.create(Kept.path)
            for _ in 1...10 { _ = try server.increment() }
            for part in ["box", "padding"] {
                tokens.note(try server.state("?select=/\(part)").etag)
            }
            for _ in 1...90 { _ = try server.increment() }
        }
        for _ in 1...2 {
            try await kept.serve { server in
                let stream = { (part: String, id: String?) in
                    try server.events(
                        Kept.path, query: "?patch=json-patch&select=/\(part)",
                        fields: ["Last-Event-ID": try #require(id)])
                }
                let box = try stream("box", tokens.first)
                let change = #"[{"op":"replace","path":"/count","value":100}]"#
                let event = try #require(try box.next())
                #expect(event.data == #"{"from":10,"version":100,"ops":\#(change)}"#)
                #expect(
                    event.name == "patch" && event.id?.hasPrefix("\(tokens.epoch)-100.") == true)
                // What has not changed is told by the id alone.
                let padding = try stream("padding", tokens.last)
                let id = try padding.nextID()
                #expect(id?.hasPrefix("\(tokens.epoch)-100.") == true)
                let other = try stream("box", "other-10")
                let whole = try other.next()
                #expect(whole?.name == "snapshot")
            }
        }
    }

    @Test func `has its log and its states of before`() async throws {
        try await kept.serve { server in
            try server.create(Kept.path)
            for _ in 1...100 { _ = try server.increment() }
        }
        try await kept.serve { server in
            _ = try server.increment()
            let state = try server.send("GET", "\(Kept.path)/state?version=10")
            #expect(state.body.hasPrefix(#"{"count":10,"#))
            #expect(state.etag?.hasSuffix("-10") == true)
            var (versions, next): ([Int?], String?) = ([], "\(Kept.path)/log?limit=40")
            while let page = next {
                let answer = try server.send("GET", page)
                let entries = try answer.json().elements ?? []
                versions += entries.map { $0["version"]?.integer }
                let isFirst = page.hasSuffix("log?limit=40")
                #expect((entries.first?["epoch"]?.string == state.etag?.epoch) == isFirst)
                next = answer.fields["link"]?.split(separator: ">").first.map {
                    "\($0.dropFirst())"
                }
                if versions.count == 40 {
                    let tag = try #require(answer.etag)
                    let again = try server.send(
                        "GET", page, fields: ["If-None-Match": "\"\(tag)\""])
                    #expect(again.status == 304)
                }
            }
            #expect(versions == Array(1...101))
            let foreign = try server.send("GET", "\(Kept.path)/log?after=other-3")
            #expect(foreign.status == 410 && foreign.body.contains(#""oldest":0"#))
            #expect(try server.state("?version=other-3").status == 410)
            #expect(try server.state("?version=102").status == 404)
            let recording = try server.send("GET", "\(Kept.path)/recording").body
            #expect(recording.split(separator: "\n").count == 20)
            #expect(recording.contains(#""version":82,"state":{"count":82,"#))
            _ = try server.increment()
            let rest = try server.send("GET", "\(Kept.path)/log?after=100").json()
            #expect(rest.elements?.count == 2)
        }
    }

    @Test func `sleeps, and wakes up unseen`() async throws {
        try await kept.serve(idle: .milliseconds(500)) { server in
            try server.create(Kept.path)
            let posted = try server.increment(key: "k")
            try await server.waitUntilAsleep()
            let state = try server.state()
            #expect(state.body.hasPrefix(#"{"count":1,"#) && state.etag == posted.etag)
            try await server.waitUntilAsleep()
            let again = try server.increment(key: "k")
            #expect(again.fields["idempotency-replayed"] == "true" && again.etag == posted.etag)
            let events = try server.events(
                Kept.path, fields: ["Last-Event-ID": try #require(posted.etag)])
            _ = try server.increment()
            var data = try #require(try events.next()?.data)
            if data.isEmpty { data = try #require(try events.next()?.data) }
            #expect(data.hasPrefix(#"{"count":2,"#))
        }
    }

    @Test func `has its version when it wakes up with a secret`() async throws {
        let served = { Served("/counter", SafeApplication()) }
        try await kept.serve(idle: .milliseconds(500), served) { server in
            try server.create(Kept.path)
            let posted = try server.dispatch(Kept.path, "locked", #"{"code":"1234"}"#)
            for _ in 1...2 {
                try await server.waitUntilAsleep()
                let state = try server.state()
                #expect(state.body == #"{"code":"<redacted>","pin":"<redacted>"}"#)
                #expect(state.etag == posted.etag)
            }
        }
    }

    @Test func `that was deleted is gone for good`() async throws {
        try await kept.serve { server in
            try server.create(Kept.path)
            _ = try server.increment()
            #expect(try server.send("DELETE", Kept.path).status == 204)
            #expect(try server.state().status == 410)
        }
        try await kept.serve { server in
            let answers = [try server.state().status, try server.create(Kept.path).status]
            #expect(answers == [410, 410])
        }
    }

    @Test func `is gone although its journal has lost the right of its server to it`() async throws
    {
        let journal = try kept.journal()
        try await kept.serve(in: journal) { server in
            try server.create(Kept.path)
            let name = SessionName(mount: "/counter", id: "demo")
            #expect(try await journal.open(name, making: nil) != nil)
            #expect(try server.send("DELETE", Kept.path).status == 204)
            await #expect(throws: JournalFailure.ended) {
                _ = try await journal.open(name, making: nil)
            }
        }
    }

    @Test func `ends although it sleeps`() async throws {
        try await kept.serve(idle: .milliseconds(500)) { server in
            try server.create(Kept.path)
            _ = try server.increment()
            try await server.waitUntilAsleep()
            #expect(try server.send("DELETE", Kept.path).status == 204)
            #expect(try server.state().status == 410)
        }
    }
}

extension String {
    /// The first part of a token.
    fileprivate var epoch: String? { split(separator: "-").first.map { "\($0)" } }
}

/// What one server has told, for the next one.
private final class Tokens: Sendable {
    private let tokens = Lock<[String]>([])

    func note(_ token: String?) { tokens.withLock { $0.append(token ?? "none") } }
    var first: String? { tokens.withLock { $0.first } }
    var epoch: String { first?.epoch ?? "none" }
    var last: String? { tokens.withLock { $0.last } }
}

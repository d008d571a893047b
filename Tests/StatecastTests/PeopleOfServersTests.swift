import Journaling
import Redux
import StatecastTesting
import Testing
import Threads

@testable import Statecast

@Suite struct `The people of several servers` {
    private let doors = (0..<2).map { _ in FrontDoor(people: People()) }
    private let path = "/counter/sessions/a"

    /// Two servers, the first of which has the session of people, and the cookie of Ann.
    private func withAnn(
        _ body: @Sendable (TwoServers, [TestServer], _ ann: [String: String]) async throws -> Void
    ) async throws {
        try await TwoServers.run(
            changing: { $0.operators = .none }, besides: { doors[$0].parts }
        ) { servers in
            servers.book.introduce()
            let ann = try FrontDoor.signIn("Ann", on: servers.one)
            try await body(servers, [servers.one, servers.two], ann)
        }
    }

    @Test func `are signed in and out by any of them, and known to all at once`() async throws {
        try await withAnn { servers, both, ann in
            let bob = try FrontDoor.signIn("Bob", on: servers.two)
            for server in both {
                for (cookie, name) in [(ann, "Ann"), (bob, "Bob")] {
                    let me = try server.send("GET", "/me", fields: cookie)
                    #expect(me.body == #"{"id":"user:\#(name)","name":"\#(name)"}"#)
                }
            }
            #expect(try servers.two.create(path, fields: ann).status == 201)
            let streams = try both.map { try $0.events(path, fields: ann) }
            for stream in streams { _ = try stream.next() }
            let other = try servers.two.events(path, fields: bob)
            _ = try other.next()
            #expect(try servers.two.send("POST", "/sign-out", fields: ann).status == 204)
            for stream in streams { try stream.expectEnd() }
            for server in both {
                #expect(try server.send("GET", "/me", fields: ann).status == 401)
                #expect(try server.send("GET", "\(path)/state", fields: ann).status == 401)
            }
            for door in doors { #expect(door.people.all.keys.sorted() == ["user:Bob"]) }
            try servers.one.dispatch(path, "incremented", nil, fields: bob)
            #expect(try other.next()?.data == #"{"count":1}"#)
        }
    }

    @Test func `lose their streams wherever these are`() async throws {
        try await withAnn { servers, both, ann in
            #expect(try servers.one.create(path, fields: ann).status == 201)
            for server in both {
                let session = try server.sessions.session(
                    "a", of: CountingApplication.self, at: "/counter")
                for end in [session.closeStreams, server.sessions.closeStreams] {
                    let streams = try both.map { try $0.events(path, fields: ann) }
                    for stream in streams { _ = try stream.next() }
                    try await end("user:Ann")
                    for stream in streams { try stream.expectEnd() }
                }
            }
        }
    }

    @Test func `are looked for each second, unless a look is under way`() async throws {
        let looks = Lock(0)
        let (begun, gate) = (Count(), Gate())
        let part = ServerPart(follow: {
            looks.withLock { $0 += 1 }
            begun.add()
            await gate.wait()
        })
        try await TwoServers.run(besides: { $0 == 0 ? [part] : [] }) { servers in
            for _ in 0..<2 {
                await servers.one.advance(by: .seconds(1))
                await begun.reaches(1)
            }
            await servers.one.advance(by: .seconds(1))
            #expect(looks.withLock { $0 } == 1)
            gate.open()
            await begun.reaches(2)
        }
    }

    @Test func `are kept and erased by any of them`() async throws {
        try await withAnn { servers, both, ann in
            try await doors[1].people.keep(Secret("4711"), of: "user:Ann")
            #expect(doors[0].people["user:Ann"]?.details?.value == "4711")
            try await doors[1].people.erase("user:Ann")
            for (door, server) in zip(doors, both) {
                #expect(door.people.all.isEmpty)
                #expect(try server.send("GET", "/me", fields: ann).status == 401)
            }
            // The server that has the session has made the past unreadable.
            let name = SessionName(mount: "people", id: "all")
            #expect(servers.book.entries.withLock { $0.forgotten[name] } != nil)
            let session = try servers.two.sessions.session(
                "all", of: PeopleApplication<Secret<String>>.self)
            #expect(try await session.state.erasure == nil)
        }
    }

    @Test func `are not let in by one that cannot ask for twenty seconds`() async throws {
        try await withAnn { servers, _, ann in
            // What one is told has it look.
            _ = try FrontDoor.signIn("Bob", on: servers.one)
            let value = try #require(ann["Cookie"]?.split(separator: "=").last)
            let (cookie, now) = (SignInCookie(String(value)), Timestamp.now)
            #expect(doors[1].people.person(of: cookie, at: now + .seconds(10)) != nil)
            #expect(doors[1].people.person(of: cookie, at: now + .seconds(60)) == nil)
        }
    }
}

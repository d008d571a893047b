import Foundation
import Journaling
import Redux
import StateCoding
import Statecast
import StatecastTesting
import Testing

@testable import Statecast

/// Signs in whoever says a name.
struct FrontDoor {
    struct Wish: Decodable { let name: String }

    let people: People<Secret<String>>

    @ServerBuilder var parts: [ServerPart] {
        people.parts
        people.signIn(at: "/sign-in") { request in
            let wish: Wish = try request.decode()
            return .init("user:\(wish.name)", name: wish.name, roles: ["act", "observe"])
        }
        people.signOut(at: "/sign-out")
        people.me(at: "/me")
        Served("/counter", CountingApplication(), access: people.access)
        Served("/other", CountingApplication(), access: people.access)
    }

    func serve(
        signInShare: Double = 0.25, _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(
            changing: {
                $0.operators = .none
                $0.sessionLimits.signInShare = signInShare
            }, serving: { parts }, body: body)
    }

    static func signIn(_ name: String, on server: TestServer) throws -> [String: String] {
        let answer = try server.send(
            "POST", "/sign-in", fields: ["Content-Type": "application/json"],
            body: #"{"name":"\#(name)"}"#)
        return ["Cookie": String(answer.fields["set-cookie"]?.prefix { $0 != ";" } ?? "")]
    }
}

/// Counts.
struct CountingApplication: Application {
    struct State: StateValue { var count = 0 }
    enum Action: ActionGroup { case incremented }
    let initialState = State()
    let views = Views<State>.all
    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        state.count += 1
    }
    func work(in state: State) -> [Work<Action>] {}
}

extension TestEvents {
    /// Whatever comes before counts into the same bound.
    func expectEnd() throws {
        #expect(try next(within: .seconds(5)) { $0.name == "end of the test" } == nil)
    }
}

@Suite(.onBothJournals) struct `The people of a server` {
    @Test func `are let in by their cookies, and all their streams end when they sign out`()
        async throws
    {
        let door = FrontDoor(people: People())
        try await door.serve { server in
            #expect(try server.send("GET", "/me").status == 401)
            let ann = try FrontDoor.signIn("Ann", on: server)
            let me = try server.send("GET", "/me", fields: ann)
            #expect(me.body == #"{"id":"user:Ann","name":"Ann"}"#)
            let paths = ["/counter/sessions/a", "/counter/sessions/b", "/other/sessions/a"]
            var streams: [TestEvents] = []
            for path in paths {
                #expect(try server.create(path, fields: ann).status == 201)
                streams.append(try server.events(path, fields: ann))
                _ = try streams.last?.next()
            }
            let bob = try FrontDoor.signIn("Bob", on: server)
            let other = try server.events(paths[0], fields: bob)
            _ = try other.next()
            #expect(try server.send("POST", "/sign-out", fields: ann).status == 204)
            for stream in streams { try stream.expectEnd() }
            #expect(try server.send("GET", "\(paths[0])/state", fields: ann).status == 401)
            #expect(door.people.all.keys.sorted() == ["user:Bob"])
            try server.dispatch(paths[0], "incremented", nil, fields: bob)
            #expect(try other.next()?.data == #"{"count":1}"#)
        }
    }

    @Test func `cannot be reached by a client`() async throws {
        let door = FrontDoor(people: People())
        try await door.serve { server in
            _ = try FrontDoor.signIn("Ann", on: server)
            let paths = [
                "/people", "people", "//people", "/counter/people", "/%70eople", "/cluster/people",
            ]
            for path in paths {
                let answer = try server.send("GET", "\(path)/sessions/all/state")
                #expect([400, 404].contains(answer.status), "\(path)")
            }
            let posted = try server.send(
                "POST", "/cluster/people/sessions/all/actions",
                fields: ["Content-Type": "application/json"], body: #"{"actions":[]}"#)
            #expect(posted.status == 404)
        }
    }

    @Test func `are kept once, and erased with their sign-ins`() async throws {
        let door = FrontDoor(people: People())
        try await door.serve { server in
            let ann = try FrontDoor.signIn("Ann", on: server)
            try await door.people.keep(Secret("4711"), of: "user:Ann")
            let session = try server.sessions.session(
                "all", of: PeopleApplication<Secret<String>>.self)
            let changes = try await session.state.changeCount
            try await door.people.keep(Secret("4711"), of: "user:Ann")
            #expect(try await session.state.changeCount == changes)
            // Who signs in once more keeps what they had; who signs out as well.
            let again = try FrontDoor.signIn("Ann", on: server)
            #expect(try server.send("POST", "/sign-out", fields: again).status == 204)
            #expect(door.people["user:Ann"]?.details?.value == "4711")
            #expect(try server.send("GET", "/me", fields: ann).status == 200)
            try await door.people.erase("user:Ann")
            #expect(try server.send("GET", "/me", fields: ann).status == 401)
            #expect(door.people.all.isEmpty)
            #expect(try await session.state.people.count == 0)
        }
    }

    @Test func `are not signed out by a client that signs in again and again`() async throws {
        let door = FrontDoor(people: People(limit: 20))
        try await door.serve { server in
            let bob = SignInCookie()
            try await door.people.add(.init("user:Bob", roles: ["observe"]), by: bob)
            let ann = try FrontDoor.signIn("Ann", on: server)
            #expect(try server.create("/counter/sessions/a", fields: ann).status == 201)
            let stream = try server.events("/counter/sessions/a", fields: ann)
            _ = try stream.next()
            let eves = try (0..<30).map { try FrontDoor.signIn("Eve \($0)", on: server) }
            // Of a client's sign-ins the oldest goes of who has no stream and no session.
            #expect(try server.send("GET", "/me", fields: ann).status == 200)
            #expect(try server.send("GET", "/me", fields: eves[14]).status == 401)
            #expect(try server.send("GET", "/me", fields: eves[15]).status == 200)
            #expect(door.people.all.count == 17)
            #expect(door.people.person(of: bob) != nil)
            // There is no room: the client that has most makes it.
            for maker in 1..<10 as Range<UInt16> {
                try await door.people.add(.init("\(maker)"), by: SignInCookie(), of: maker)
            }
            #expect(door.people.all.count == 20 && door.people.person(of: bob) != nil)
            #expect(try server.send("GET", "/me", fields: eves[15]).status == 401)
            #expect(try server.send("DELETE", "/counter/sessions/a", fields: ann).status == 403)
            try await server.sessions.session("a", of: CountingApplication.self, at: "/counter")
                .end()
            while try stream.next() != nil {}
            for number in 30..<60 { _ = try FrontDoor.signIn("Eve \(number)", on: server) }
            #expect(try server.send("GET", "/me", fields: ann).status == 401)
        }
    }

    @Test func `are signed in for thirty days`() async throws {
        let (people, cookie) = (People<Int>(), SignInCookie())
        try await people.add(.init("ann"), by: cookie)
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        let day = Duration.seconds(24 * 60 * 60)
        #expect(people.person(of: cookie, at: now + day * 29) != nil)
        #expect(people.person(of: cookie, at: now + day * 31) == nil)
        try await people.add(.init("bob"), by: SignInCookie(), at: now + day * 31)
        #expect(Array(people.all.keys) == ["bob"])
    }

    @Test func `are signed out at once, whatever becomes of that`() async throws {
        let (door, journal) = (FrontDoor(people: People()), ScriptedJournal(.atOnce(.kept)))
        try await TestJournal.$make.withValue({ journal }) {
            try await door.serve { server in
                let ann = try FrontDoor.signIn("Ann", on: server)
                #expect(try server.create("/counter/sessions/a", fields: ann).status == 201)
                let stream = try server.events("/counter/sessions/a", fields: ann)
                _ = try stream.next()
                journal.setManner(.atOnce(.refused(.unavailable)))
                #expect(try server.send("POST", "/sign-out", fields: ann).status == 503)
                try stream.expectEnd()
                #expect(try server.send("GET", "/me", fields: ann).status == 401)
                journal.setManner(.atOnce(.kept))
                #expect(try server.send("POST", "/sign-out", fields: ann).status == 204)
                #expect(door.people.all.isEmpty)
            }
        }
    }

    @Test(arguments: ["/events", "/state?wait=9"])
    func `are refused what they have asked for before they signed out`(path: String) async throws {
        let (door, journal) = (FrontDoor(people: People()), ScriptedJournal(.atOnce(.kept)))
        try await TestJournal.$make.withValue({ journal }) {
            try await door.serve { server in
                let ann = try FrontDoor.signIn("Ann", on: server)
                journal.openSlowly()
                let asked = try server.open("GET", "/counter/sessions/a\(path)", fields: ann)
                await journal.waitForOpening()
                #expect(try server.send("POST", "/sign-out", fields: ann).status == 204)
                journal.finishOpenings()
                #expect(try asked.answer().status == 401)
            }
        }
    }

    @Test func `have what is to be made unreadable in mind until it is`() async throws {
        var state = PeopleState<Int>()
        let facts: [PeopleFact<Int>] = [
            .erased(id: "a"), .erased(id: "b"), .pastForgotten(erasure: 0),
        ]
        for fact in facts { try state.apply(fact, limit: 10, at: Timestamp(milliseconds: 0)) }
        #expect(state.erasure == 1)
        try state.apply(.pastForgotten(erasure: 1), limit: 10, at: Timestamp(milliseconds: 0))
        #expect(state.erasure == nil)
    }

    @Test func `make room for those who sign in, and for no one else`() async throws {
        let people = People<Int>(limit: 2)
        let cookies = (0..<3).map { _ in SignInCookie() }
        for (number, cookie) in cookies.enumerated() {
            try await people.add(.init("\(number)"), by: cookie)
        }
        #expect(people.person(of: cookies[0]) == nil)
        #expect(people.all.keys.sorted() == ["1", "2"])
        await #expect(throws: SessionError.self) { try await people.keep(7, of: "3") }
        try await people.keep(7, of: "1")
        try await people.remove(cookies[1])
        #expect(people["1"]?.details == 7)
        try await people.keep(nil, of: "1")
        #expect(people["1"] == nil)
        // Of those who have not signed in, the one goes of whom nothing was said for longest.
        for number in 3..<7 { try await people.keep(number, of: "\(number)") }
        #expect(people.all.keys.sorted() == ["2", "6"])
    }

    @Test func `are read as an earlier build has kept them`() throws {
        let former = """
            {"people":{"ann":{"id":"ann","name":"Ann","roles":["act"]},\
            "bob":{"id":"bob","name":"","roles":[],"details":7}},\
            "signIns":{"17":{"person":"ann","secret":"s","maker":1,"time":{"milliseconds":1795302855000},"order":1}},\
            "ages":{"ann":1,"bob":0},"changeCount":2,"evictionCount":0}
            """
        var state = try StateDecoder().decode(PeopleState<Int>.self, from: Array(former.utf8))
        let json = try StateEncoder().bytes(of: state)
        #expect(try StateDecoder().decode(PeopleState<Int>.self, from: json).people == state.people)
        #expect(state.people["ann"]?.name == "Ann" && state.people["bob"]?.details == 7)
        let now = Timestamp(milliseconds: 1_795_302_855_001)
        try state.apply(.signedOut(number: "17"), limit: 9, at: now)
        #expect(state.people.all.map(\.key) == ["bob"] && state.signIns.count == 0)
        // Of a build with another number of parts.
        let other = Array(#"[{"ann":1},{"bob":2}]"#.utf8)
        let parts = try StateDecoder().decode(Parts<Int>.self, from: other)
        #expect(parts["ann"] == 1 && parts["bob"] == 2 && parts["eve"] == nil)
    }

    @Test(arguments: ["-1", "-9223372036854775808", "9223372036854775807", "1152921504606846976"])
    func `are not read with numbers that count no changes`(number: String) {
        func read(_ age: String, _ order: String, _ count: String) -> PeopleState<Int>? {
            let json = """
                {"people":{},"signIns":{"17":{"person":"ann","secret":"s","maker":1,\
                "time":{"milliseconds":0},"order":\(order)}},"ages":{"bob":\(age)},"changeCount":\(count)}
                """
            return try? StateDecoder().decode(PeopleState<Int>.self, from: Array(json.utf8))
        }
        #expect(read("1", "0", "2") != nil)
        #expect(read(number, "0", "2") == nil)
        #expect(read("1", number, "2") == nil)
        #expect(read("1", "0", number) == nil)
    }

    @Test func `are signed in from one client as often as the operator says`() async throws {
        let door = FrontDoor(people: People(limit: 40))
        try await door.serve(signInShare: 0.5) { server in
            let anns = try (0..<21).map { try FrontDoor.signIn("Ann \($0)", on: server) }
            #expect(try server.send("GET", "/me", fields: anns[0]).status == 401)
            #expect(try server.send("GET", "/me", fields: anns[1]).status == 200)
        }
    }

    /// Nil: a quarter, as an earlier build has kept it.
    @Test(arguments: [nil, 20, 24])
    func `have no more than a client's share of sign-ins, however many are under way`(
        most: Int?
    ) throws {
        let (count, limit) = (most ?? 20, 80)
        var state = PeopleState<Int>()
        let now = Timestamp(milliseconds: 1_795_302_855_000)
        func signIn(_ number: Int, of maker: UInt16, instead gone: [String] = []) throws {
            let fact = PeopleFact<Int>.signedIn(
                person: .init("\(number)"), number: "\(number)", secret: Secret("s"), maker: maker,
                gone: gone, most: most)
            try state.apply(fact, limit: limit, at: now)
        }
        for number in 0..<count { try signIn(number, of: 1) }
        try signIn(99, of: 2)
        // The oldest one is there. Each names the next one, before the others are committed.
        let gone = state.leaving(for: 1, most: count, limit: limit, at: now) { $0 != "0" }
        #expect(gone == ["1"])
        let json = try StateEncoder().bytes(of: state)
        state = try StateDecoder().decode(PeopleState<Int>.self, from: json)
        let former = state
        for number in count..<count + 10 { try signIn(number, of: 1, instead: gone) }
        let left = state.signIns.all.map { $0.value.person }.sorted()
        #expect(left == (10..<count + 10).map(String.init) + ["99"])
        #expect(state.people.all.map(\.key).sorted() == left)
        let lost = state.absent(among: former.signIns.missing(in: state.signIns).map(\.person))
        #expect(lost == Set((0..<10).map(String.init)))
        // The operator lets a client have fewer by now.
        let last = PeopleFact<Int>.signedIn(
            person: .init("last"), number: "last", secret: Secret("s"), maker: 1, most: 5)
        try state.apply(last, limit: limit, at: now)
        #expect(state.signIns.all.map(\.value.person).sorted() == Array(left.suffix(5)) + ["last"])
    }

    @Test func `keep their streams while one of their sign-ins is left`() async throws {
        let door = FrontDoor(people: People(limit: 20))
        try await door.serve { server in
            let ann = try FrontDoor.signIn("Ann", on: server)
            #expect(try server.create("/counter/sessions/a", fields: ann).status == 201)
            let stream = try server.events("/counter/sessions/a", fields: ann)
            _ = try stream.next()
            // In as many browsers as one client may have, and in one more.
            for _ in 0..<17 {
                let person = People<Secret<String>>.Person("user:Ann", roles: ["act", "observe"])
                try await door.people.add(person, by: SignInCookie(), of: 1)
            }
            try server.dispatch("/counter/sessions/a", "incremented", nil, fields: ann)
            #expect(try stream.next()?.data == #"{"count":1}"#)
        }
    }

    @Test func `cost one who signs in what it changes, however many they are`() throws {
        let now = Timestamp(milliseconds: 1_795_302_855_000)
        func cost(among count: Int) throws -> Duration {
            var state = PeopleState<Int>()
            func signIn(_ number: Int) throws {
                let fact = PeopleFact<Int>.signedIn(
                    person: .init("user:\(number)"), number: "\(number)", secret: Secret("s"),
                    maker: UInt16(number % 100))
                try state.apply(fact, limit: 20_000, at: now)
            }
            for number in 0..<count { try signIn(number) }
            var form = try StateEncoder().form(of: state, after: nil, keepingSecrets: true)
            var least = Duration.seconds(9)
            for number in count..<count + 9 {
                // The one that was shown last goes on being there.
                let shown = state
                let duration = try ContinuousClock().measure {
                    try signIn(number)
                    let next = try StateEncoder().form(of: state, after: form, keepingSecrets: true)
                    #expect(next.change(from: form).patch != nil)
                    form = next
                }
                least = min(least, duration)
                #expect(shown.changeCount + 1 == state.changeCount)
            }
            return least
        }
        let (few, many) = (try cost(among: 100), try cost(among: 10_000))
        #expect(many < few * 20, "\(few), \(many)")
        print("A sign-in among 100 people: \(few), among 10,000: \(many)")
    }

    @Test func `stand in small parts, in the order of their ids, whoever has chosen these`() throws
    {
        // All of one part, where a hash decides that anybody can compute (FNV-1a).
        func hash(_ text: String) -> UInt32 {
            text.utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
        }
        let ids = (0..<50_000).map { "user:\($0)" }.filter { hash($0) % 256 == 7 }
        var (parts, known) = (Parts<Int>(), [String: Int]())
        for (number, id) in ids.shuffled().enumerated() {
            (parts[id], known[id]) = (number, number)
            // One of three goes again.
            let other = ids[number * 7 % ids.count]
            if number % 3 == 0 { (parts[other], known[other]) = (nil, nil) }
        }
        let json = try StateEncoder().bytes(of: parts)
        let kept = try StateDecoder().decode([[String: Int]].self, from: json)
        #expect(kept.count > 1 && kept.allSatisfy { 1...64 ~= $0.count })
        #expect(Dictionary(uniqueKeysWithValues: parts.all.map { $0 }) == known)
        let again = try StateDecoder().decode(Parts<Int>.self, from: json)
        #expect(try StateEncoder().bytes(of: again) == json)
        #expect(ids.allSatisfy { parts[$0] == known[$0] && again[$0] == known[$0] })
        let middle = ids.sorted()[ids.count / 2]
        let behind = known.keys.filter { $0 >= middle }.sorted()
        #expect(parts.ascending(from: middle).map(\.key) == behind)
        for id in ids { parts[id] = nil }
        #expect(parts == Parts() && parts.missing(in: again).isEmpty)
        #expect(again.missing(in: parts).count == known.count)
    }

    @Test func `are found by the whole cookie alone`() async throws {
        let (people, cookie) = (People<Int>(), SignInCookie())
        try await people.add(.init("ann"), by: cookie)
        let value = cookie.number + cookie.secret
        #expect(people.person(of: SignInCookie(value))?.id == "ann")
        let flipped = String(value.prefix(31)) + (value.last == "0" ? "1" : "0")
        for wrong in ["", String(value.prefix(16)), value + "0", flipped] {
            #expect(people.person(of: SignInCookie(wrong)) == nil)
        }
    }

    @Test(
        arguments: [
            (nil, nil), ("", nil), ("cards=7", "7"), ("a=b; cards=7; c=d", "7"), ("xcards=7", nil),
            ("cards", nil), ("cards=", ""), ("a=b;cards=7=8", "7=8"), ("cards=7; cards=8", ""),
            ("cards=8; __Host-cards=7; cards=9", "7"),
        ] as [(String?, String?)])
    func `are found among other cookies`(field: String?, value: String?) {
        #expect(People<Int>(cookie: "cards").cookie(in: field) == value)
        let secure = People<Int>(cookie: "cards", isSecure: true).cookie(in: field)
        #expect(secure == (field?.contains("__Host") ?? false ? value : nil))
    }

    @Test func `have a cookie that no other host can have set, by https`() async throws {
        let door = FrontDoor(people: People(cookie: "list"))
        try await door.serve { server in
            let type = ["Content-Type": "application/json", "X-Forwarded-Proto": "https"]
            let answer = try server.send("POST", "/sign-in", fields: type, body: #"{"name":"Ann"}"#)
            let cookie = answer.fields["set-cookie"] ?? ""
            #expect(cookie.contains(/^__Host-list=[0-9a-f]{32}; Path=\/; .*; Secure$/))
            let ann = ["Cookie": String(cookie.prefix { $0 != ";" })]
            #expect(try server.send("GET", "/me", fields: ann).status == 200)
        }
    }
}

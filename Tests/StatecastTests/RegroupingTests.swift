import Redux
import Sessions
import StatecastTesting
import Testing

@testable import Statecast

/// Takes 3 ms to show a viewer the count, alone or where it is odd.
private struct SlowViews: PlainApplication {
    struct State: StateValue { var count = 0 }
    enum Action: ActionGroup { case counted }

    let initialState = State()
    let views = Views<State>(
        state: .all,
        View("slow", by: { $1.arguments["n"] ?? "" }) { state, _ in
            wait()
            return state.count
        },
        View("odd", by: { $1.arguments["n"] ?? "" }) { state, _ in
            wait()
            return state.count.isMultiple(of: 2) ? nil : state.count
        },
        View("quiet") { _, _ in true })

    private static func wait() {
        let end = ContinuousClock.now + .milliseconds(3)
        while ContinuousClock.now < end {}
    }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        state.count += 1
    }
}

@Suite(.onBothJournals) struct `The clients of a class` {
    @Test func `are shown a change once, also where that takes several turns`() async throws {
        try await TestServer.run(serving: { Served("/slow", SlowViews()) }) { server in
            let path = "/slow/sessions/a"
            try server.create(path)
            func query(_ number: Int) -> String { "?view=slow&n=\(number)" }
            var streams = try (0..<20).map { try server.events(path, query: query($0)) }
            for stream in streams { #expect(try stream.next()?.data == "0") }
            for count in 1...2 {
                let state = path + "/state"
                let tag = try #require(try server.send("GET", state + query(17)).etag)
                let held = try server.open(
                    "GET", state + query(17) + "&wait=20", fields: ["If-None-Match": "\"\(tag)\""])
                try server.dispatch(path, "counted")
                let late = try server.events(path, query: query(19))
                #expect(try server.send("GET", state + query(18)).body == "\(count)")
                #expect(try held.answer().body == "\(count)")
                #expect(try late.next()?.data == "\(count)")
                for stream in streams { #expect(try stream.next()?.data == "\(count)") }
                streams.append(late)
            }
        }
    }

    @Test
    func `are shown once what is there again, also where one asks for it before its turn`()
        async throws
    {
        try await TestServer.run(serving: { Served("/slow", SlowViews()) }) { server in
            let path = "/slow/sessions/a"
            try server.create(path)
            let streams = try (0..<20).map { try server.events(path, query: "?view=odd&n=\($0)") }
            for stream in streams { _ = try stream.next() }
            try server.dispatch(path, "counted")
            let last = streams[19]
            #expect(try last.next()?.data == "1")
            try server.dispatch(path, "counted")
            #expect(try last.next()?.name == "out-of-scope")
            try server.dispatch(path, "counted")
            let late = try server.events(path, query: "?view=odd&n=19")
            for stream in [last, late] { #expect(try stream.next()?.data == "3") }
            try server.dispatch(path, "counted")
            for stream in [last, late] { #expect(try stream.next()?.name == "out-of-scope") }
        }
    }

    @Test
    func `are told the version between changes that follow at once, and a revert is heard there`()
        async throws
    {
        try await TestServer.run(serving: { Served("/slow", SlowViews()) }) { server in
            let path = "/slow/sessions/a"
            try server.create(path)
            _ = try server.send("GET", path + "/log")
            let streams = try (0..<20).map { try server.events(path, query: "?view=slow&n=\($0)") }
            for stream in streams { _ = try stream.next() }
            let quiet = try server.events(path, query: "?view=quiet")
            _ = try quiet.nextID()
            for _ in 1...12 { try server.dispatch(path, "counted") }
            #expect(try quiet.nextID() != nil)
            let answer = try server.send(
                "POST", path + "/revert", fields: ["Content-Type": "application/json"],
                body: #"{"version":11}"#)
            // The journal that answers later reverts nothing.
            if answer.problem != "outcome-unknown" {
                #expect(answer.status == 200, "\(answer.body)")
                #expect(try server.send("GET", path + "/state?view=slow&n=3").body == "11")
            }
        }
    }

    private func seen(_ hand: String?, _ counts: String) -> String {
        let note = hand == nil ? "" : #","note":"""#
        return "{" + (hand.map { #""hand":\#($0),"# } ?? "")
            + #""counts":{\#(counts)},"pile":[]\#(note)}"#
    }

    @Test func `go to their own new classes, whatever places they have`() async throws {
        try await HandsTable.serve { table in
            let names = ["carol", "dave", "carol", "erin", "dave", "carol"]
            let streams = try names.map { try table.events($0) }
            let part = try table.events("carol", "?select=/hand")
            for stream in streams + [part] { _ = try stream.next() }
            let held = try ["dave", "carol", "erin"].map { name in
                let tag = try table.tag(name)
                return try table.server.open(
                    "GET", HandsTable.session + "/state?wait=20",
                    fields: HandsTable.fields(name, ["If-None-Match": "\"\(tag)\""]))
            }
            try table.sit("carol")
            let counts = #""alice":1,"bob":1,"carol":0"#
            for (name, stream) in zip(names, streams) {
                #expect(
                    try stream.next()?.data == seen(name == "carol" ? "[]" : nil, counts), "\(name)"
                )
            }
            #expect(try part.next()?.data == "[]")
            #expect(try held[0].answer().body == seen(nil, counts))
            #expect(try held[1].answer().body == seen("[]", counts))
            #expect(try held[2].answer().body == seen(nil, counts))
            try table.draw(33, "carol")
            for (name, stream) in zip(names, streams) {
                let hand = name == "carol" ? "[33]" : nil
                #expect(
                    try stream.next()?.data == seen(hand, #""alice":1,"bob":1,"carol":1"#),
                    "\(name)")
            }
            #expect(try part.next()?.data == "[33]")
        }
    }

    @Test func `are asked about together, and the leavers named by their groups`() {
        let views = HandsApplication().views
        let viewers = ["alice", "bob", "carol"].map { Viewer(Principal($0)) }
        var state = HandsApplication.State()
        state.players = ["alice", "bob"]
        let groups = [
            ViewerGroup(ViewerClass("alice" as String?), [viewers[0]]),
            ViewerGroup(ViewerClass(nil as String?), viewers), ViewerGroup(nil, viewers),
            ViewerGroup(ViewerClass("bob" as String?), [viewers[1], viewers[2], viewers[1]]),
            ViewerGroup(ViewerClass("carol" as String?), []),
        ]
        let leavers = views.state.code?.findLeavers?(state, groups.span)
        #expect(leavers?.map(\.group) == [1, 3] && leavers?.map(\.places) == [[0, 1], [1]])
        #expect(["pile", "mine"].allSatisfy { views.find($0)?.code?.findLeavers == nil })
    }
}

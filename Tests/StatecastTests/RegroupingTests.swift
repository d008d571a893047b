import Redux
import Sessions
import StatecastTesting
import Testing

@testable import Statecast

@Suite(.onBothJournals) struct `The clients of a class` {
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

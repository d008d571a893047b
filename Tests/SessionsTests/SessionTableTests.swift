import Sessions
import Testing

@Suite struct `A table of sessions` {
    @Test func `finds each of many, also once others have gone`() throws {
        let table = SessionTable()
        let sessions = try (0..<100).map { try SessionWorld(id: "s\($0)").session }
        for session in sessions { table.insert(session) }
        for index in stride(from: 0, to: 100, by: 3) { table.remove(sessions[index]) }
        let left = sessions.indices.filter { !$0.isMultiple(of: 3) }
        #expect(table.count == left.count)
        #expect(Set(table.all.map(\.id)) == Set(left.map { sessions[$0].id }))
        for (index, session) in sessions.enumerated() {
            #expect((table.find(session.id) === session) == !index.isMultiple(of: 3))
        }
    }
}

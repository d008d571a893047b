import JournalConformance
import JournalPostgreSQL
import Journaling
import PostgreSQLServer
import Redux
import Testing

/// Several servers on one database.
@Suite(withPostgreSQL) struct PostgreSQLServersTests {
    @Test func `a session that one server has is opened by no other until that has ended`()
        async throws
    {
        let place = try Place()
        let (one, other) = (try place.open(), try place.open())
        var session = try await TestSession("a", in: one)
        try await session.append()
        for new in [nil, TestSession.new] {
            try await expect(.heldElsewhere) { () throws(JournalFailure) in
                try await other.open(session.name, making: new)
            }
        }
        let due = try await other.alarms(until: TestSession.created + .seconds(9), limit: 9).due
        #expect(due.isEmpty)
        await one.close()
        try await session.reopen(in: other)
        try await session.append()
        await other.close()
    }

    @Test func `a session that sleeps is opened by any server`() async throws {
        let place = try Place()
        let journals = [try place.open(), try place.open()]
        var session = try await TestSession("a", in: journals[0])
        for round in 1...6 {
            try await session.append(alarm: .at(TestSession.created))
            try await journals[(round - 1) % 2].keep(nil, of: session.lease, isAsleep: true)
            let due = try await journals[round % 2].alarms(until: TestSession.created, limit: 9)
            #expect(due.due == [session.name])
            try await session.reopen(in: journals[round % 2])
        }
        for journal in journals { await journal.close() }
    }

    @Test func `what a server had that is cut off is another's, and is appended to by that alone`()
        async throws
    {
        let place = try Place()
        let proxy = try Proxy(to: place.server.socket)
        let (one, other) = (try place.open(by: proxy.place), try place.open())
        var session = try await TestSession("a", in: one)
        try await session.append()
        let former = session
        #expect(one.shows(former.lease, anew: true))
        proxy.isClosed = true
        proxy.cut()
        while one.shows(former.lease, anew: true) { await Task.yield() }
        // Who watches may have what there was, as long as that is the newest.
        #expect(one.shows(former.lease, anew: false))
        // Its lock is free as soon as the database has seen the end of its connections.
        while true {
            do {
                try await session.reopen(in: other)
                break
            } catch JournalFailure.heldElsewhere {}
        }
        try await session.append()
        #expect(!one.status.isAvailable)
        let lost = await former.outcome(former.submit(former.batch(of: 1, behind: 1)))
        #expect(lost == .refused(.unavailable))
        proxy.isClosed = false
        while !one.status.isAvailable { await Task.yield() }
        let late = await former.outcome(former.submit(former.batch(of: 1, behind: 1)))
        #expect(late == .stale)
        // Each of its connections comes back by itself.
        var failure = JournalFailure.unavailable
        while failure == .unavailable {
            do throws(JournalFailure) {
                _ = try await one.open(session.name, making: nil)
                failure = .ended
            } catch { failure = error }
        }
        #expect(failure == .heldElsewhere)
        #expect(!one.shows(former.lease, anew: false) && one.shows(nil, anew: true))
        #expect(other.shows(session.lease, anew: true))
        try await session.append()
        await one.close()
        await other.close()
    }
}

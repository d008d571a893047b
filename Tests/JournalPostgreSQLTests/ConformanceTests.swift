import JournalConformance
import JournalPostgreSQL
import Journaling
import Testing

@Suite(withPostgreSQL) struct PostgreSQLConformanceTests {
    @Test(arguments: JournalConformance.Law.allCases)
    func `the journal in PostgreSQL keeps the laws beside another server`(
        law: JournalConformance.Law
    ) async throws {
        let place = try Place()
        let other = try place.open()
        try await JournalConformance { try place.open() }.hold(law)
        // What the first had is free, and what it made is there.
        for summary in try await other.sessions(after: nil, limit: 1_000) {
            let opened = try await other.open(summary.name, making: nil)
            #expect(opened?.epoch == summary.epoch)
        }
        await other.close()
    }
}

import JournalConformance
import JournalSQLite
import Journaling
import Redux
import Testing

@Suite struct ConformanceTests {
    @Test(arguments: JournalConformance.Law.allCases)
    func `the journal in a directory keeps the laws`(law: JournalConformance.Law) async throws {
        let place = try Place()
        try await JournalConformance { try SQLiteJournal(directory: place.journal) }.hold(law)
    }
}

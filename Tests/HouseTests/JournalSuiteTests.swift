import Foundation
import Testing

@Suite struct `The tests of a server` {
    /// What only the journal in memory shows: it forgets a session that has ended, and holds no
    /// copy of a state, so that what a server holds can be measured.
    private let onlyInMemory: Set<String> = ["ForgettingTests.swift", "UnreadAnswerTests.swift"]

    @Test func `run with the journal in memory and with one that answers later`() throws {
        let files = try Repository.files(under: "Tests/StatecastTests").filter {
            $0.pathExtension == "swift" && !$0.pathComponents.contains("Support")
        }
        var suiteCount = 0
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            guard text.contains("MemoryServer.run(") || text.contains("TestServer.run(") else {
                continue
            }
            guard !onlyInMemory.contains(file.lastPathComponent) else { continue }
            suiteCount += 1
            // A suite that scripts its journal has one of its own.
            let hasOwn = text.contains("ScriptedJournal(")
            #expect(hasOwn || text.contains(".onBothJournals"), "\(file.lastPathComponent)")
        }
        #expect(suiteCount > 20)
    }
}

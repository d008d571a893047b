import StatecastTesting
import Testing

/// Runs each test of a suite with the journal in memory, and once more with one that keeps what it
/// is given and answers from another thread.
struct BothJournals: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await function()
        try await TestJournal.$make.withValue({ ScriptedJournal(.later) }) {
            try await function()
        }
    }
}

extension Trait where Self == BothJournals {
    /// With the journal in memory, and with one that answers later.
    static var onBothJournals: BothJournals { BothJournals() }
}

public import Redux
public import StateCoding

/// Entries that the reducer has made and that go to the journal, without the application's types.
@usableFromInline
package struct StagedBatch {
    /// The version of the last entry.
    var version: UInt64
    /// The number of entries.
    var count: Int
    /// Another entry caused these: they do not come from a client's request.
    var isCaused: Bool
    /// For a posted batch, the outcome of each of its actions.
    var outcomes: [Outcome]

    @usableFromInline
    package init(version: UInt64, count: Int, isCaused: Bool, outcomes: [Outcome]) {
        self.version = version
        self.count = count
        self.isCaused = isCaused
        self.outcomes = outcomes
    }

    /// The outcomes of a batch's actions, or how many entries one action became; nil where it became
    /// one.
    var record: [UInt8]? {
        outcomes.isEmpty
            ? BatchRecord.write(entryCount: UInt64(count))
            : BatchRecord.write(outcomes.map { ActionResult($0) })
    }

    /// Makes the bytes of the entries, where the journal or the session's log wants them.
    @usableFromInline
    package typealias Content = () throws(EncodingFailure) -> EncodedEntries

    /// Makes the bytes of the state behind the last entry.
    @usableFromInline
    package typealias StateContent = () throws(EncodingFailure) -> [UInt8]

    /// Encodes the state behind the last entry as far as it is not what a form holds of it, and finds
    /// the patch that leads there.
    @usableFromInline
    package typealias Change = (EncodedForm) throws(EncodingFailure) -> EncodedChange

    /// Hands entries over to the session's journal.
    @usableFromInline
    package typealias Append = (
        _ batch: StagedBatch, _ content: Content, _ state: StateContent, _ change: Change
    ) -> Keeping
}

/// The decided entries of a ledger, in the order in which they will be committed.
///
/// It is an object, which its ledger reaches without a checked access.
final class PendingEntries<State: Sendable, Action: Sendable> {
    private var entries: [PendingEntry<State, Action>] = []
    /// The entries before it are committed.
    private var first = 0
    /// Kept, as the last one is: code for all types looks the type of an array up to ask it.
    private(set) var count = 0
    private(set) var last: PendingEntry<State, Action>?

    var isEmpty: Bool { count == 0 }

    /// The entries in their order.
    var list: ArraySlice<PendingEntry<State, Action>> { entries[first...] }

    func append(_ entry: PendingEntry<State, Action>) {
        if let last {
            precondition(
                last.version + 1 == entry.version,
                "A decided entry has the number behind the one before it.")
        }
        entries.append(entry)
        last = entry
        count += 1
    }

    /// The version of the last one of the first entries that were decided together; nil where it is
    /// behind another version.
    func endOfGroup(through last: UInt64) -> UInt64? {
        var index = first
        let end = first + count
        while index < end, entries[index].version <= last {
            if entries[index].isLast { return entries[index].version }
            index += 1
        }
        return nil
    }

    /// Takes the first entry, if it is not behind a version; constant time on average.
    func popFirst(through last: UInt64) -> PendingEntry<State, Action>? {
        guard count > 0 else { return nil }
        let entry = entries[first]
        guard entry.version <= last else { return nil }
        first += 1
        count -= 1
        if count == 0 {
            removeAll()
        } else if first > 64, first > count {
            entries.removeFirst(first)
            first = 0
        }
        return entry
    }

    /// Forgets the entries behind a version, and answers with these.
    func drop(behind version: UInt64) -> [PendingEntry<State, Action>] {
        let kept = list.prefix { $0.version <= version }.count
        let dropped = Array(entries[(first + kept)...])
        entries.removeSubrange((first + kept)...)
        count = kept
        last = entries.last
        if count == 0 { removeAll() }
        return dropped
    }

    private func removeAll() {
        entries.removeAll(keepingCapacity: true)
        first = 0
        last = nil
    }
}

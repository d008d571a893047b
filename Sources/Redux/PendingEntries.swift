/// The decided entries of a ledger, in the order in which they will be committed.
///
/// It is an object, which its ledger reaches without a checked access. The last entry, most often the
/// only one, stands by itself: code for all types looks the type of an array up wherever it uses one.
final class PendingEntries<State: Sendable, Action: Sendable> {
    /// The entries before the last one.
    private var earlier: [PendingEntry<State, Action>] = []
    /// The earlier ones before it are committed.
    private var first = 0
    /// Kept, and not computed, so that the array is not asked.
    private(set) var count = 0
    private(set) var last: PendingEntry<State, Action>?

    var isEmpty: Bool { count == 0 }

    /// The entries in their order.
    var list: [PendingEntry<State, Action>] {
        guard let last else { return [] }
        return earlier[first...] + [last]
    }

    func append(_ entry: PendingEntry<State, Action>) {
        if let last {
            precondition(
                last.version + 1 == entry.version,
                "A decided entry has the number behind the one before it.")
            earlier.append(last)
        }
        last = entry
        count += 1
    }

    /// The version of the last one of the first entries that were decided together; nil where it is
    /// behind another version.
    func endOfGroup(through version: UInt64) -> UInt64? {
        if count > 1, let end = endOfEarlierGroup(through: version) { return end }
        guard let last, last.isLast, last.version <= version else { return nil }
        return last.version
    }

    private func endOfEarlierGroup(through version: UInt64) -> UInt64? {
        var index = first
        while index < earlier.count, earlier[index].version <= version {
            if earlier[index].isLast { return earlier[index].version }
            index += 1
        }
        return nil
    }

    /// Takes the first entry, if it is not behind a version; constant time on average.
    func popFirst(through version: UInt64) -> PendingEntry<State, Action>? {
        guard count == 1, let entry = last else { return popEarlier(through: version) }
        guard entry.version <= version else { return nil }
        last = nil
        count = 0
        return entry
    }

    private func popEarlier(through version: UInt64) -> PendingEntry<State, Action>? {
        guard count > 1, earlier[first].version <= version else { return nil }
        let entry = earlier[first]
        first += 1
        count -= 1
        if count == 1 {
            earlier.removeAll(keepingCapacity: true)
            first = 0
        } else if first > 64, first > count {
            earlier.removeFirst(first)
            first = 0
        }
        return entry
    }

    /// Forgets the entries behind a version, and answers with these.
    func drop(behind version: UInt64) -> [PendingEntry<State, Action>] {
        let list = list
        let kept = list.prefix { $0.version <= version }
        let dropped = Array(list[kept.count...])
        earlier = Array(kept.dropLast())
        first = 0
        count = kept.count
        last = kept.last
        return dropped
    }
}

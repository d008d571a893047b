extension Alignment {
    /// Calls with the elements that no step touches, in runs that follow each other in both
    /// collections: where a run begins in each, and its length.
    ///
    ///     a b c d → a c x d:  .remove(old: 1, at: 1), .add(new: 2):  0 0 1, 2 1 1, 3 3 1
    func forEachKept(_ body: (_ old: Int, _ new: Int, _ count: Int) -> Void) {
        // The members of an object that go do so before others change.
        let gone = steps.compactMap(\.old).sorted()
        let come = steps.compactMap(\.new)
        var (here, there) = (gone[...], come[...])
        var (index, other) = (0, 0)
        while true {
            while here.first == index {
                here.removeFirst()
                index += 1
            }
            while there.first == other {
                there.removeFirst()
                other += 1
            }
            let count = (here.first ?? old.count) - index
            let run = min(count, (there.first ?? new.count) - other)
            guard run > 0 else { break }
            body(index, other, run)
            index += run
            other += run
        }
        precondition(index == old.count && other == new.count, "What is left is in both.")
    }
}

extension Alignment.Step {
    /// The old element or member that goes or changes.
    fileprivate var old: Int? {
        switch self {
        case .remove(let index, _), .change(let index, _): index
        case .add: nil
        }
    }

    /// The new one that comes, or that another becomes.
    fileprivate var new: Int? {
        switch self {
        case .add(let index, _), .change(_, let index): index
        case .remove: nil
        }
    }
}

/// The way from the elements of one collection to those of another: which go, which come, and
/// which change where they stand.
struct Alignment {
    /// A step, carried out on what those before it have made: elements from left to right, so that
    /// an element of the new array stands at its index once its step has been carried out.
    enum Step: Equatable {
        /// An old element or member goes; its index is then `at`.
        case remove(old: Int, at: Int)
        /// A new one comes; a member `before` another of the new ones, where it is not the last.
        case add(new: Int, before: Int?)
        /// An old one becomes a new one.
        case change(old: Int, new: Int)

        /// The index in the array when the step is carried out.
        var index: Int {
            switch self {
            case .remove(_, let index), .add(let index, _), .change(_, let index): index
            }
        }
    }

    private(set) var steps: [Step] = []
    /// The elements that no step touches: where a run begins in both collections, and its length.
    private(set) var kept: [(old: Int, new: Int, count: Int)] = []
    let old: FormNode
    let new: FormNode

    /// - Complexity: n·log n in the elements between the first and the last that differ; what both
    ///   share in pieces is passed over.
    init(_ old: FormNode, _ new: FormNode) {
        self.old = old
        self.new = new
        let shorter = min(old.count, new.count)
        let head = keepEqual(0, 0, limit: shorter)
        let tail = FormNode.equalCount(
            old, from: old.count - 1, new, from: new.count - 1, step: -1, limit: shorter - head)
        align(head..<old.count - tail, head..<new.count - tail)
        keep(old.count - tail, new.count - tail, tail)
    }

    private mutating func align(_ here: Range<Int>, _ there: Range<Int>) {
        if here.isEmpty {
            add(there)
        } else if there.isEmpty {
            remove(here, at: there.lowerBound)
        } else if !alignInStep(here, there) {
            if let matches = matches(here, there) {
                align(here, there, by: matches)
            } else {
                alignLookingAhead(here, there)
            }
        }
    }

    // MARK: By keys

    /// Where as many elements have come as gone, and those that differ have the same names or ids,
    /// each changes where it stands; answers if that is so.
    private mutating func alignInStep(_ here: Range<Int>, _ there: Range<Int>) -> Bool {
        guard here.count == there.count else { return false }
        var pairs: [(old: Int, new: Int)] = []
        let keptCount = kept.count
        var (index, other) = (here.lowerBound, there.lowerBound)
        while index < here.upperBound {
            let count = keepEqual(index, other, limit: here.upperBound - index)
            index += count
            other += count
            guard index < here.upperBound else { break }
            pairs.append((index, other))
            index += 1
            other += 1
        }
        guard haveSameKeys(pairs) else {
            kept.removeSubrange(keptCount...)
            return false
        }
        for (index, other) in pairs { steps.append(.change(old: index, new: other)) }
        return true
    }

    private func haveSameKeys(_ pairs: [(old: Int, new: Int)]) -> Bool {
        if new.isObject {
            return pairs.allSatisfy { old[$0.old].hasSameName(as: new[$0.new]) }
        }
        guard let array = new.value as? any IdentifiedElements
        else { return false }
        return array.haveSameIDs(as: old.value, pairs)
    }

    /// For each new element the old one with the same name or id, nil for none; nil where there are
    /// no such keys.
    private func matches(_ here: Range<Int>, _ there: Range<Int>) -> [Int?]? {
        if new.isObject {
            var places: [[UInt8]: Int] = [:]
            for (name, index) in zip(old.names(of: here), here) { places[name] = index }
            return new.names(of: there).map { places[$0] }
        }
        guard let array = new.value as? any IdentifiedElements
        else { return nil }
        return array.matches(there, among: old.value, here)
    }

    private mutating func align(_ here: Range<Int>, _ there: Range<Int>, by matches: [Int?]) {
        let kept = Self.longestAscent(matches)
        if new.isObject {
            // Members go before any come, as one of the same name may come elsewhere.
            let stay = Set(kept.map(\.match))
            for index in here where !stay.contains(index) { remove(index..<index + 1, at: 0) }
        }
        var (index, other) = (here.lowerBound, there.lowerBound)
        for (offset, match) in kept {
            replace(index..<match, there: other..<there.lowerBound + offset)
            (index, other) = (match, there.lowerBound + offset)
            change(index, other)
            index += 1
            other += 1
        }
        replace(index..<here.upperBound, there: other..<there.upperBound)
    }

    /// Elements without partners stand against each other, and change in pairs.
    private mutating func replace(_ here: Range<Int>, there: Range<Int>) {
        guard !new.isObject else { return add(there) }
        let paired = min(here.count, there.count)
        for offset in 0..<paired { change(here.lowerBound + offset, there.lowerBound + offset) }
        remove(here.dropFirst(paired), at: there.lowerBound + paired)
        add(there.dropFirst(paired))
    }

    // MARK: Without keys

    /// The number of elements that are looked at ahead.
    private static let lookahead = 8
    /// Once so many in a row have changed without being found ahead, only one of 16 is looked for.
    private static let vainLimit = 64

    private mutating func alignLookingAhead(_ here: Range<Int>, _ there: Range<Int>) {
        var (index, other) = (here.lowerBound, there.lowerBound)
        var vainCount = 0
        while index < here.upperBound, other < there.upperBound {
            let olds = index..<here.upperBound
            let news = other..<there.upperBound
            let count = keepEqual(index, other, limit: min(olds.count, news.count))
            if count > 0 {
                vainCount = 0
                index += count
                other += count
            } else if vainCount < Self.vainLimit || vainCount % 16 == 0,
                let ahead = stepAhead(olds, news)
            {
                remove(olds.prefix(ahead.old), at: other)
                add(news.prefix(ahead.new))
                index += ahead.old
                other += ahead.new
            } else {
                vainCount += 1
                steps.append(.change(old: index, new: other))
                index += 1
                other += 1
            }
        }
        remove(index..<here.upperBound, at: other)
        add(other..<there.upperBound)
    }

    /// The number of elements that have gone or come here, where the other collection goes on with
    /// what stands behind them. Where as many are left in both, and the next ones are equal, the
    /// first ones have changed.
    private func stepAhead(_ olds: Range<Int>, _ news: Range<Int>) -> (old: Int, new: Int)? {
        let (index, other) = (olds.lowerBound, news.lowerBound)
        if olds.count == news.count, olds.count == 1 || isEqual(index + 1, other + 1) { return nil }
        for step in 1...Self.lookahead {
            if step < olds.count, isEqual(index + step, other) { return (step, 0) }
            if step < news.count, isEqual(index, other + step) { return (0, step) }
        }
        return nil
    }

    private func isEqual(_ index: Int, _ other: Int) -> Bool {
        FormNode.equalCount(old, from: index, new, from: other, limit: 1) == 1
    }

    // MARK: Steps

    private mutating func change(_ index: Int, _ other: Int) {
        guard keepEqual(index, other, limit: 1) == 0 else { return }
        steps.append(.change(old: index, new: other))
    }

    /// Keeps the elements from two places on that are equal; answers with their number.
    private mutating func keepEqual(_ index: Int, _ other: Int, limit: Int) -> Int {
        let count = FormNode.equalCount(old, from: index, new, from: other, limit: limit)
        keep(index, other, count)
        return count
    }

    private mutating func keep(_ index: Int, _ other: Int, _ count: Int) {
        if count > 0 { kept.append((index, other, count)) }
    }

    private mutating func remove(_ range: Range<Int>, at place: Int) {
        for index in range { steps.append(.remove(old: index, at: place)) }
    }

    private mutating func add(_ range: Range<Int>) {
        let next = new.isObject && range.upperBound < new.count ? range.upperBound : nil
        for index in range { steps.append(.add(new: index, before: next)) }
    }

    // MARK: What need not move

    /// The longest choice of places whose matches ascend, with these matches.
    ///
    ///     [2, nil, 0, 1, 4] → (2, 0), (3, 1), (4, 4)
    ///
    /// - Complexity: n·log n.
    static func longestAscent(_ matches: [Int?]) -> [(offset: Int, match: Int)] {
        /// For each length the place at which the ascent with the least last match ends.
        var ends: [Int] = []
        /// For each place the one before it in its ascent.
        var previous = [Int?](repeating: nil, count: matches.count)
        for (offset, match) in matches.enumerated() {
            guard let match else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if let other = matches[ends[middle]], other < match {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            previous[offset] = low > 0 ? ends[low - 1] : nil
            if low < ends.count { ends[low] = offset } else { ends.append(offset) }
        }
        var chosen: [(offset: Int, match: Int)] = []
        var next = ends.last
        while let offset = next, let match = matches[offset] {
            chosen.append((offset, match))
            next = previous[offset]
        }
        return chosen.reversed()
    }
}

/// Arrays whose elements have ids, by which they are found again where others came or went.
protocol IdentifiedElements {
    func haveSameIDs(as former: Any, _ pairs: [(old: Int, new: Int)]) -> Bool

    /// For each element of a range the one with the same id among those of a former array; nil
    /// where there is none, or where an id stands there twice and this is not its first element. Nil
    /// where the former array is of another type.
    func matches(_ range: Range<Int>, among former: Any, _ others: Range<Int>) -> [Int?]?
}

extension Array: IdentifiedElements where Element: Identifiable {
    func haveSameIDs(as former: Any, _ pairs: [(old: Int, new: Int)]) -> Bool {
        guard let former = former as? Self else { return false }
        return pairs.allSatisfy { former[$0.old].id == self[$0.new].id }
    }

    func matches(_ range: Range<Int>, among former: Any, _ others: Range<Int>) -> [Int?]? {
        guard let former = former as? Self else { return nil }
        var places: [Element.ID: Int] = [:]
        for index in others.reversed() { places[former[index].id] = index }
        return range.map { places.removeValue(forKey: self[$0].id) }
    }
}

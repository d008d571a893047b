import Reflection

/// The elements of a set, or the keys of a dictionary that have no text, in the order of their
/// texts: those that have the bits of a former one stand in the former text, the others are encoded.
///
///     former ["a","c","d"], now c, b, a:  keep 0..<1, add "b", keep 1..<2
struct SortedElements {
    enum Step {
        /// Elements of the former text.
        case keep(Range<Int>)
        /// An element that was encoded, and its offset in the order of iteration.
        case add(FormText, offset: Int)
    }

    /// The steps from the first text to the last.
    private(set) var steps: [Step] = []
    /// For each element in the order of the texts, its offset in the order of iteration.
    private(set) var order: [Int] = []
    /// Two elements have one text, so that their order is nobody's.
    private(set) var hasTwins = false
    /// For each element of the former text, its offset in the present order of iteration; nil where
    /// it has gone.
    private var kept: [Int?]

    /// Finds the steps.
    ///
    /// - Parameters:
    ///   - present: in the order of iteration.
    ///   - former: the elements in the order of iteration, and for each in the order of the text its
    ///     offset in that.
    ///   - text: the text of a former element, by its place.
    ///   - encode: the text of a present element.
    init<Element>(
        _ present: [Element], after former: (elements: [Element], order: [Int]),
        _ bits: EqualBits, text: (Int) -> FormText, encode: (Element) throws -> FormText
    ) throws {
        precondition(former.elements.count == former.order.count, "Each element has a place.")
        kept = Array(repeating: nil, count: former.order.count)
        order.reserveCapacity(present.count)
        var places = Array(repeating: 0, count: former.order.count)
        for (place, offset) in former.order.enumerated() { places[offset] = place }
        var added: [(text: FormText, offset: Int)] = []
        var next = 0
        var bySteps = ArraySteps(from: former.elements, to: present, bits)
        try bySteps.forEach { step in
            switch step {
            case .copy(let range):
                for offset in range {
                    kept[places[offset]] = next
                    next += 1
                }
            case .encode(let index, _):
                precondition(index == next, "Elements are encoded from the first to the last.")
                added.append((try encode(present[index]), index))
                next += 1
            }
        }
        added.sort { $0.text.precedes($1.text) }
        merge(added, text)
    }

    private mutating func merge(
        _ added: [(text: FormText, offset: Int)], _ text: (Int) -> FormText
    ) {
        var place = 0
        var last: FormText?
        for item in added {
            let end = self.place(of: item.text, from: place, text)
            keep(place..<end)
            place = end
            // A twin with another secret may stand before.
            let first = item.text.holes.isEmpty ? end : max(0, end - 1)
            let isThere = (first..<max(first, min(kept.count, end + 1))).contains {
                kept[$0] != nil && text($0).isShown(like: item.text)
            }
            hasTwins = hasTwins || isThere || last.map(item.text.isShown) ?? false
            last = item.text
            steps.append(.add(item.text, offset: item.offset))
            order.append(item.offset)
        }
        keep(place..<kept.count)
    }

    /// The first place from one on whose text does not stand before another: looked for in steps
    /// that double, then between the last two.
    private func place(of item: FormText, from start: Int, _ text: (Int) -> FormText) -> Int {
        var (low, high, width) = (start, start, 1)
        while high < kept.count, text(high).precedes(item) {
            low = high + 1
            high = min(kept.count, high + width)
            width *= 2
        }
        while low < high {
            let middle = (low + high) / 2
            if text(middle).precedes(item) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Keeps those elements of the former text that are still there.
    private mutating func keep(_ places: Range<Int>) {
        var start = places.lowerBound
        for place in places {
            if let offset = kept[place] {
                order.append(offset)
            } else {
                if start < place { steps.append(.keep(start..<place)) }
                start = place + 1
            }
        }
        if start < places.upperBound { steps.append(.keep(start..<places.upperBound)) }
    }

    /// The present offset of an element that stands in the former text.
    func offset(at place: Int) -> Int? { kept[place] }
}

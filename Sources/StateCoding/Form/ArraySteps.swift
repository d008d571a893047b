import Reflection

/// The way from a former array to the present one by the bits of their elements: which can be
/// copied, and which have to be encoded.
///
/// Decides about work alone. Elements that are encoded although they are what they were come to the
/// same text.
struct ArraySteps<Element> {
    enum Step {
        /// Elements of the former array.
        case copy(Range<Int>)
        /// An element of the present array, with the one that it was before, if that is known.
        case encode(Int, former: Int?)
    }

    private let former: [Element]
    private let present: [Element]
    private let bits: EqualBits
    /// What is left between the equal heads and tails.
    private var olds: Range<Int>
    private var news: Range<Int>
    /// Where elements come or go, the other array is looked through so far ahead.
    private static var lookahead: Int { 8 }
    /// The number of times that was in vain.
    private var vainCount = 0

    init(from former: [Element], to present: [Element], _ bits: EqualBits) {
        self.bits = bits
        self.former = former
        self.present = present
        let shorter = min(former.count, present.count)
        let head = bits.equalCount(former, from: 0, present, from: 0, limit: shorter)
        let tail = bits.equalTailCount(former, present, limit: shorter - head)
        olds = head..<former.count - tail
        news = head..<present.count - tail
    }

    /// Carries all steps out, from left to right.
    mutating func forEach(_ body: (Step) throws -> Void) throws {
        let tail = olds.upperBound..<former.count
        if olds.lowerBound > 0 { try body(.copy(0..<olds.lowerBound)) }
        while let index = news.first {
            guard let old = olds.first else {
                try body(.encode(index, former: nil))
                news = news.dropFirst()
                continue
            }
            let count = equalCount(old, index)
            if count > 0 {
                try body(.copy(old..<old + count))
                pass(olds: count, news: count)
                continue
            }
            switch shift() {
            case .gone(let count): pass(olds: count, news: 0)
            case .come(let count):
                for place in index..<index + count { try body(.encode(place, former: nil)) }
                pass(olds: 0, news: count)
            case nil:
                try body(.encode(index, former: old))
                pass(olds: 1, news: 1)
            }
        }
        if !tail.isEmpty { try body(.copy(tail)) }
    }

    private mutating func pass(olds oldCount: Int, news newCount: Int) {
        olds = olds.dropFirst(oldCount)
        news = news.dropFirst(newCount)
    }

    private func equalCount(_ old: Int, _ new: Int) -> Int {
        let limit = min(olds.upperBound - old, news.upperBound - new)
        return bits.equalCount(former, from: old, present, from: new, limit: limit)
    }

    private func isEqual(_ old: Int, _ new: Int) -> Bool {
        olds.contains(old) && news.contains(new)
            && bits.equalCount(former, from: old, present, from: new, limit: 1) == 1
    }

    private enum Shift {
        /// Old elements have gone here.
        case gone(Int)
        /// New ones have come.
        case come(Int)
    }

    /// The elements that have come or gone here; nil where the first ones have changed in their
    /// places. Looks ahead less often where that is in vain.
    private mutating func shift() -> Shift? {
        let (old, new) = (olds.lowerBound, news.lowerBound)
        if isEqual(old + 1, new + 1) { return nil }
        vainCount += 1
        guard vainCount < 8 || vainCount % 16 == 0 else { return nil }
        for step in 1...Self.lookahead {
            let found: Shift? =
                isEqual(old + step, new)
                ? .gone(step) : isEqual(old, new + step) ? .come(step) : nil
            if let found {
                vainCount = 0
                return found
            }
        }
        return nil
    }
}

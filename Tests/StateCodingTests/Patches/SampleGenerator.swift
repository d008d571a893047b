import Bytes

/// What makes random states by chance, and changes their arrays.
protocol SampleGenerator {
    var random: SplitMix { get set }
    /// The number of elements that collections grow to.
    var size: Int { get }
}

extension SampleGenerator {
    mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &random)
    }

    mutating func isOne(in count: Int) -> Bool { number(1...count) == 1 }

    /// Changes an array somewhere.
    mutating func edit<Element>(
        _ array: inout [Element], make: (inout Self) -> Element,
        change: (inout Self, inout Element) -> Void
    ) {
        let place = array.isEmpty ? 0 : number(0...array.count - 1)
        switch number(0...12) {
        case 0: array.append(make(&self))
        case 1: array.insert(make(&self), at: place)
        case 2 where !array.isEmpty: array.remove(at: place)
        case 3 where !array.isEmpty:
            array.removeFirst()
            array.append(make(&self))
        case 4 where isOne(in: 4): array.shuffle(using: &random)
        case 5 where array.count > 1: array.swapAt(place, number(0...array.count - 1))
        case 6 where isOne(in: 4): array.removeLast(array.count - place)
        case 7 where isOne(in: 4): array.insert(contentsOf: array.prefix(number(0...70)), at: place)
        case 8: array = array.map { $0 }
        case 9: array.insert(contentsOf: (0..<number(0...12)).map { _ in make(&self) }, at: place)
        default:
            for _ in 0..<number(1...3) where !array.isEmpty {
                change(&self, &array[number(0...array.count - 1)])
            }
        }
        if array.count > size * 2 { array.removeSubrange(place..<min(array.count, place + size)) }
    }
}

import Testing

@testable import Sessions

@Suite struct StateSizesTests {
    @Test func `the largest is exact as long as it is there, and then an eighth more at most`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var (sizes, known) = (StateSizes(), [Int: Int]())
            for _ in 0..<60 {
                let place = Int.random(in: 0..<6, using: &generator)
                let next = Bool.random() ? 0 : 1 << Int.random(in: 0..<24) + Int.random(in: 0..<9)
                sizes.change(from: known[place] ?? 0, to: next)
                known[place] = next
                let (figures, present) = (sizes.figures(), known.values.filter { $0 > 0 })
                let largest = present.max() ?? 0
                #expect(figures.sum == present.reduce(0, +) && figures.count == present.count)
                #expect((largest...(largest + largest / 8)).contains(figures.largest))
            }
        }
    }

    @Test func `what grows is exact`() {
        var sizes = StateSizes()
        for size in 1...5_000 {
            sizes.change(from: size - 1, to: size)
            #expect(sizes.figures() == (size, size, 1))
        }
    }
}

/// Decides which requests fail: those that rules name, and of the others a drawn part.
struct Failures {
    /// The mock keeps no more rules than this.
    static let ruleLimit = 1_000

    private(set) var rules: [FailureRule] = []
    private let rate: Double
    private var generator: SeededGenerator

    init(rate: Double, seed: UInt64) {
        self.rate = rate
        generator = SeededGenerator(seed: seed)
    }

    /// Adds rules behind the others; false, and adds none, where they would be more than `ruleLimit`.
    mutating func add(_ more: [FailureRule]) -> Bool {
        guard rules.count + more.count <= Self.ruleLimit else { return false }
        rules += more.filter { $0.count ?? 1 > 0 }
        return true
    }

    mutating func removeAll() {
        rules = []
    }

    /// Decides about one request. Each request draws once, whether a rule fits or not, so that rules
    /// do not shift what the seed decides for the requests after them.
    mutating func decide(_ request: MockRequest) -> (status: Int?, delay: Duration?) {
        let isDrawn = Double.random(in: 0..<1, using: &generator) < rate
        guard let index = rules.firstIndex(where: { $0.fits(request) }) else {
            return (isDrawn ? 503 : nil, nil)
        }
        let rule = rules[index]
        let left = (rule.count ?? 1) - 1
        if left > 0 { rules[index].count = left } else { rules.remove(at: index) }
        return (rule.status, rule.delayMilliseconds.map { .milliseconds($0) })
    }
}

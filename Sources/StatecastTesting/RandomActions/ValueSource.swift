import FoundationEssentials
import Redux
import Reflection

/// The choices by which values are made up: at random, or the plainest ones.
final class ValueSource {
    /// The texts and numbers that are chosen from.
    var words = StateWords()
    private let principals: [Principal]
    /// Nil: the plainest values.
    private var generator: RepeatableGenerator?
    /// The cases that a sample takes, in the order in which it meets enums; the first one of those
    /// that it meets after them.
    private let cases: [Int]
    /// The choices among cases that a sample has met.
    private(set) var choices: [CaseChoice] = []
    private var failureCount = 0
    private static let failureLimit = 200

    /// Random values; principals among them are some of these.
    init(seed: UInt64, _ principals: [Principal]) {
        generator = RepeatableGenerator(seed: seed)
        cases = []
        self.principals = principals
    }

    /// Plain values: texts are named like their label, numbers are 1, lists hold one element, and
    /// what may be absent is there.
    init(sample cases: [Int]) {
        self.cases = cases
        principals = [Principal("alice")]
    }

    private var isRandom: Bool { generator != nil }

    /// A number from 0 to below a count; 0 in a sample.
    func pick(_ count: Int) -> Int { generator?.number(below: count) ?? 0 }

    /// One of so many cases of a type, whose value has a name.
    func pickCase(_ count: Int, of type: Any.Type, named name: String?) -> Int {
        precondition(count > 0, "An enum with values has a case.")
        if isRandom { return pick(count) }
        let place = choices.count
        let index = place < cases.count ? min(cases[place], count - 1) : 0
        let name = "\(String(reflecting: type)) \(name ?? "")"
        choices.append(CaseChoice(name: name, index: index, count: count))
        return index
    }

    /// A seed for the random numbers of a step.
    func makeSeed() -> Seed {
        let bytes = (0..<32).map { _ in UInt8(pick(256)) }
        return Seed(bytes: bytes) ?? .random()
    }

    /// One element of a list.
    func element<Element>(of list: [Element]) -> Element { list[pick(list.count)] }

    /// Makes a value once more where that fails: not every text is a date, for example.
    func attempt<Value>(_ make: () throws -> Value) throws -> Value {
        while true {
            do {
                return try make()
            } catch {
                failureCount += 1
                guard isRandom, failureCount < Self.failureLimit else { throw error }
            }
        }
    }

    /// Another value is begun, which may fail as often again.
    func begin() { failureCount = 0 }

    // MARK: Plain values

    /// A value of a type that is known here; nil of any other type.
    func plain<Value>(_ type: Value.Type, named name: String?) -> Value? {
        if type is String.Type { return text(named: name) as? Value }
        if type is Bool.Type { return (pick(2) == 0) as? Value }
        if let integers = type as? any FixedWidthInteger.Type {
            return integer(integers, named: name) as? Value
        }
        if type is Double.Type { return number() as? Value }
        if type is Float.Type { return Float(number()) as? Value }
        if type is Principal.Type { return element(of: principals) as? Value }
        if type is Date.Type {
            return Date(timeIntervalSince1970: element(of: [1e9, 0, 1.5, -1e9, 4e9])) as? Value
        }
        if type is URL.Type {
            return URL(string: element(of: ["https://example.com/a", "file:///a"])) as? Value
        }
        if type is Data.Type { return Data(element(of: [[1], [], [0, 255]])) as? Value }
        if type is Decimal.Type { return Decimal(element(of: [1, 0, -1, 1_000_000])) as? Value }
        if type is UUID.Type {
            let end = UInt8(pick(4))
            return UUID(uuid: (0, 0, 0, 0, 0, 0, 64, 0, 128, 0, 0, 0, 0, 0, 0, end)) as? Value
        }
        return nil
    }

    /// Texts that are rarely thought of; the long ones are cut by their limits, or should be.
    private static let oddTexts = [
        "a", "", " ", "b", "0", "-1", "..", "a/b", "~0", "é🙂\n", "\u{0}", "null",
        "2024-02-29T12:00:00Z", "a@example.com", "https://example.com/a",
        String(repeating: "x", count: 300), String(repeating: "ü", count: 5_000),
    ]

    private func text(named name: String?) -> String {
        guard isRandom else { return name ?? "text" }
        let own = words.texts(named: name)
        switch pick(10) {
        case 0..<4 where !own.isEmpty: return element(of: own)
        case 0..<7 where !words.texts.isEmpty: return element(of: words.texts)
        default: return element(of: Self.oddTexts)
        }
    }

    private func integer<Integer: FixedWidthInteger>(
        _ type: Integer.Type, named name: String?
    ) -> Integer {
        guard isRandom else { return 1 }
        let own = words.numbers(named: name)
        switch pick(10) {
        case 0..<4 where !own.isEmpty: return Integer(clamping: element(of: own))
        case 0..<6 where !words.numbers.isEmpty:
            return Integer(clamping: element(of: words.numbers) &+ pick(3) &- 1)
        case 0..<8: return Integer(clamping: pick(60))
        default: return element(of: [0, 1, Integer(clamping: -1), .min, .max, .max - 1])
        }
    }

    private func number() -> Double {
        element(of: [1, 0, -1, 0.5, 52.5, 1e9, -1e-9, .greatestFiniteMagnitude])
    }
}

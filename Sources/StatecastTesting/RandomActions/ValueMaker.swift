import Bytes
import Redux
import StateCoding

/// Makes up JSON that a type can read: asks its decoder what is wrong with a value, and tries there
/// what may be right.
struct ValueMaker {
    /// Reads a value; nil, and the place of what is not as its type wants it, where that fails.
    typealias Reader<Value> = (JSONTree, _ misfit: inout JSONPointer) -> Value?

    /// The texts and numbers that are chosen from.
    var words = StateWords()
    /// Nil: the plainest values. Texts are named like their member, and numbers are 1.
    private var chance: SplitMix?
    /// The cases of the enums that are known, each enum's in a list.
    private let cases: [[String]]
    /// So many values are tried at most for one that is made.
    private static let tryLimit = 2_000

    /// A source of values that are the same for a seed; of plain ones without it.
    init(seed: UInt64? = nil, cases: [[String]]) {
        chance = seed.map { SplitMix(seed: $0) }
        self.cases = cases
    }

    // MARK: Choices

    /// A number from 0 to below a count; 0 of plain values.
    mutating func pick(_ count: Int) -> Int { chance?.number(below: count) ?? 0 }

    /// One element of a list.
    mutating func element<Element>(of list: [Element]) -> Element { list[pick(list.count)] }

    /// A seed for the random numbers of a step.
    mutating func makeSeed() -> Seed { Seed(UInt64(pick(.max))) }

    // MARK: Reading

    /// What a reader makes of JSON like this: in place of all that does not fit stands what does;
    /// nil where nothing is found that does.
    mutating func value<Value>(from json: JSONTree, _ read: Reader<Value>) -> Value? {
        var triesLeft = Self.tryLimit
        return value(from: json, behind: [], &triesLeft, read)
    }

    private mutating func value<Value>(
        from json: JSONTree, behind places: [JSONPointer], _ triesLeft: inout Int,
        _ read: Reader<Value>
    ) -> Value? {
        triesLeft -= 1
        var place = JSONPointer()
        if let value = read(json, &place) { return value }
        guard !places.contains(place) else { return nil }
        for candidate in candidates(at: place) where triesLeft > 0 {
            let changed = json.setting(candidate, at: place.tokens[...])
            let value = value(from: changed, behind: places + [place], &triesLeft, read)
            if let value { return value }
        }
        return nil
    }

    /// What may be right at a place, whatever it is that reads it.
    private mutating func candidates(at place: JSONPointer) -> [JSONTree] {
        let name = place.tokens.last { Int($0) == nil && $0 != "payload" } ?? ""
        let plain: [JSONTree] = [
            .text(name.isEmpty ? "text" : name), .number(1), .other(Array("true".utf8)),
            .object([]), .array([.null]), .array([]), .text("2001-09-09T01:46:40.000Z"),
            .text("https://example.com/a"), .text("00000000-0000-4000-8000-000000000000"),
            // An answer.
            .object([("value", .null)]), .object([("problem", .null)]),
        ]
        let forms = cases.joined().flatMap(Self.forms)
        guard chance != nil else { return plain + forms }
        let start = pick(forms.count + 1)
        return [text(named: name), number(named: name), flag()] + plain + forms[start...]
            + forms[..<start]
    }

    /// What an enum's case may look like, alone or with its values.
    private static func forms(of name: String) -> [JSONTree] {
        [.text(name), .object([(name, .object([]))])]
    }

    /// The values that differ from one in the case of one enum, which is known or among others.
    func alternatives(of value: JSONTree, among others: [[String]]) -> [JSONTree] {
        let lists = cases + others.filter { !cases.contains($0) }
        return value.changed { value in
            let name: String
            switch value {
            case .text(let text): name = text
            case .object(let members) where members.count == 1: name = members[0].name
            default: return []
            }
            let cases = lists.filter { $0.contains(name) }.joined()
            return cases.filter { $0 != name }.flatMap(Self.forms)
        }
    }

    // MARK: Varying

    /// A value like this one, of which the decoder may find that it is none of the type.
    mutating func varied(_ value: JSONTree, named name: String = "") -> JSONTree {
        switch value {
        case .text(let text):
            if let list = cases.first(where: { $0.contains(text) }), pick(8) > 0 {
                return .text(element(of: list))
            }
            return pick(8) == 0 ? value : self.text(named: name)
        case .number: return pick(8) == 0 ? value : number(named: name)
        case .other: return element(of: [value, flag(), .null, number(named: name)])
        case .array(var elements):
            for index in elements.indices { elements[index] = varied(elements[index], named: name) }
            switch pick(6) {
            case 0: elements = []
            case 1: elements += elements.map { varied($0, named: name) }
            default: break
            }
            return .array(elements)
        case .object(var members):
            for index in members.indices {
                members[index].value = varied(members[index].value, named: members[index].name)
            }
            if !members.isEmpty, pick(8) == 0 { members.remove(at: pick(members.count)) }
            return .object(members)
        }
    }

    /// Texts that are rarely thought of; the long ones are cut by their limits, or should be.
    private static let oddTexts = [
        "a", "", " ", "b", "0", "-1", "..", "a/b", "~0", "é🙂\n", "\u{0}", "null",
        "2024-02-29T12:00:00Z", "a@example.com", "https://example.com/a",
        String(repeating: "x", count: 300), String(repeating: "ü", count: 5_000),
    ]

    private mutating func text(named name: String) -> JSONTree {
        let own = words.named(name).texts
        switch pick(10) {
        case 0..<4 where !own.isEmpty: return .text(element(of: own))
        case 0..<7 where !words.all.texts.isEmpty: return .text(element(of: words.all.texts))
        default: return .text(element(of: Self.oddTexts))
        }
    }

    private mutating func number(named name: String) -> JSONTree {
        let own = words.named(name).numbers
        switch pick(10) {
        case 0..<4 where !own.isEmpty: return .number(element(of: own))
        case 0..<6 where !words.all.numbers.isEmpty:
            return .number(element(of: words.all.numbers) &+ pick(3) &- 1)
        case 0..<8: return .number(pick(60))
        case 8: return .number(element(of: [0, 1, -1, .min, .max, .max - 1]))
        default: return .other(Array(element(of: ["0", "0.5", "52.5", "-1e-9", "1e300"]).utf8))
        }
    }

    private mutating func flag() -> JSONTree {
        .other(Array(element(of: ["true", "false"]).utf8))
    }
}

extension SplitMix {
    /// A number from 0 to below a count.
    mutating func number(below count: Int) -> Int {
        precondition(count > 0, "A number is drawn among one or more.")
        return Int(truncatingIfNeeded: next() % UInt64(count))
    }
}

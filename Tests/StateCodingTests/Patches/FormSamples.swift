import Bytes
import StateCoding

/// A record with an id, not Equatable, with records inside.
struct FormRecord: Codable, Identifiable, Sendable {
    var id: Int
    var name: String
    var price: Double
    var note: String?
    var children: [FormRecord]?
    var marks: [Int]
}

/// A record without an id.
struct FormRow: Codable, Sendable {
    var text: String
    var flag: Bool
    var small: Int8
    var fruit: Fruit
}

/// An object that is shared, and replaced where it changes.
final class FormBox: Codable, Sendable {
    let label: String
    let items: [FormRow]

    init(label: String, items: [FormRow]) {
        self.label = label
        self.items = items
    }
}

/// An object whose superclass writes beside it.
class FormBase: Encodable {
    let a: Int

    init(a: Int) { self.a = a }
}

final class FormDerived: FormBase {
    let b: [Int]

    init(a: Int, b: [Int]) {
        self.b = b
        super.init(a: a)
    }

    private enum CodingKeys: CodingKey { case b, isLate }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(b, forKey: .b)
        if a % 3 == 0 { try super.encode(to: container.superEncoder()) }
        try container.encode(a, forKey: .isLate)
    }
}

/// A value that writes itself: as a number, a list, an object, or with a name twice.
struct FormOwn: Encodable, Sendable {
    var number: Int
    var list: [Int]

    private enum CodingKeys: CodingKey { case number, list }

    func encode(to encoder: any Encoder) throws {
        switch number % 5 {
        case 0:
            var container = encoder.singleValueContainer()
            try container.encode(number)
        case 1:
            var container = encoder.unkeyedContainer()
            for element in list { try container.encode(element) }
        case 2:
            var container = encoder.singleValueContainer()
            try container.encode(list)
        case 3:
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(number, forKey: .number)
            try container.encode(list, forKey: .list)
            try container.encode(number / 5, forKey: .number)
        default:
            var container = encoder.container(keyedBy: CodingKeys.self)
            if number % 2 == 0 { try container.encode(number, forKey: .number) }
            try? container.encode(list.map { Pear(isBad: $0 == 3) }, forKey: .list)
        }
    }
}

/// A state of all shapes.
struct FormState: Encodable {
    var counter = 0
    var note: String?
    var fruit = Fruit.apple
    var rows: [FormRow] = []
    var maybeRows: [FormRow]?
    var records: [FormRecord] = []
    var byName: [String: FormRecord] = [:]
    var byNumber: [Int: [Int]] = [:]
    var byShade: [Shade: FormRow] = [:]
    var byPair: [Pair: [String: Int]] = [:]
    var tags: Set<String> = []
    var numbers: Set<Double> = []
    var grid: [[Int]] = []
    var boxes: [FormBox?] = []
    var own: [FormOwn] = []
    var derived: [FormDerived] = []
    var interleaved: Interleaved?
    var late: LateSuper?
    var empty = [Empty(), Empty()]
    var flags: [Bool] = []
}

/// Makes random states, and changes them.
struct FormStateGenerator: SampleGenerator {
    var random: SplitMix
    /// The number of elements that collections grow to.
    let size: Int
    /// States fill containers in turn, and put them in later.
    let isInterleaved: Bool

    init(seed: UInt64, size: Int, isInterleaved: Bool) {
        random = SplitMix(seed: seed)
        self.size = size
        self.isInterleaved = isInterleaved
    }

    private mutating func word() -> String {
        ["milk", "bread", "a long name of a thing", "é", "e\u{301}", "a/b~c", "\"x\"", ""]
            .randomElement(using: &random) ?? ""
    }

    mutating func state() -> FormState {
        var state = FormState()
        let count = number(0...size)
        state.rows = (0..<count).map { _ in row() }
        state.records = (0..<count).map { record($0, depth: 1) }
        state.grid = (0..<number(0...6)).map { _ in list() }
        state.flags = (0..<count).map { _ in isOne(in: 2) }
        for _ in 0..<30 { change(&state) }
        return state
    }

    private mutating func list() -> [Int] {
        (0..<number(0...size)).map { _ in number(0...9) }
    }

    private mutating func row() -> FormRow {
        FormRow(
            text: word(), flag: isOne(in: 2), small: Int8(number(-3...3)),
            fruit: random.fruit(depth: isOne(in: 8) ? 2 : 0))
    }

    private mutating func record(_ id: Int, depth: Int) -> FormRecord {
        FormRecord(
            id: id, name: "record number \(id)", price: Double(number(0...99)) / 4,
            note: isOne(in: 3) ? word() : nil,
            children: depth > 0 && isOne(in: 4)
                ? (0..<number(0...6)).map { record($0, depth: depth - 1) } : nil,
            marks: isOne(in: 6) ? list() : [1])
    }

    private mutating func change(_ record: inout FormRecord) {
        switch number(0...5) {
        case 0: record.name += "!"
        case 1: record.note = isOne(in: 2) ? nil : word()
        case 2:
            edit(&record.marks) {
                $0.number(0...9)
            } change: {
                $1 += 1; _ = $0
            }
        case 3:
            var children = record.children ?? []
            let isThere = isOne(in: 5)
            edit(&children) {
                $0.record($0.number(0...9), depth: 0)
            } change: {
                $0.change(&$1)
            }
            record.children = isThere ? nil : children
        case 4 where isOne(in: 4): record.id += 100
        case 5 where isOne(in: 4): record.price = .nan
        default: record.price += 0.25
        }
    }

    /// Changes an array somewhere.
    mutating func change(_ state: inout FormState) {
        switch number(0...24) {
        case 0, 1: state.counter += 1
        case 2: state.note = isOne(in: 2) ? nil : word()
        case 3: state.fruit = random.fruit(depth: 3)
        case 4, 5, 6:
            edit(&state.rows) {
                $0.row()
            } change: {
                $1 = $0.row()
            }
        case 7: state.maybeRows = isOne(in: 2) ? nil : state.rows
        case 8, 9, 10, 11:
            edit(&state.records) {
                $0.record($0.number(0...999), depth: 1)
            } change: {
                $0.change(&$1)
            }
        case 12: change(&state.byName) { $0.record(1, depth: 1) }
        case 13: changeKeyed(&state)
        case 14: state.byShade[isOne(in: 2) ? .red : .blue] = isOne(in: 4) ? nil : row()
        case 15: state.byPair[Pair(a: number(0...9)), default: [:]][word()] = number(0...99)
        case 16: state.tags.formSymmetricDifference([word(), word()])
        case 17: state.numbers.formSymmetricDifference([Double(number(0...60)) / 4])
        case 18, 19:
            edit(&state.grid) {
                $0.list()
            } change: {
                $0.edit(&$1) {
                    $0.number(0...9)
                } change: {
                    $1 += 1; _ = $0
                }
            }
        case 20:
            edit(&state.boxes) {
                $0.box()
            } change: {
                $1 = $0.box()
            }
        case 21:
            edit(&state.own) {
                FormOwn(number: $0.number(0...9), list: $0.list())
            } change: {
                $1 = FormOwn(number: $0.number(0...9), list: $1.list)
            }
        default: changeRarely(&state)
        }
    }

    private mutating func changeRarely(_ state: inout FormState) {
        switch isInterleaved ? number(0...12) : number(4...12) {
        case 0: state.interleaved = state.interleaved == nil ? Interleaved() : nil
        case 1: state.late = state.late == nil ? LateSuper() : nil
        case 2, 3:
            let derived = FormDerived(a: number(0...9), b: list())
            if isOne(in: 2) { state.derived = [] } else { state.derived.append(derived) }
        case 4: state.empty = isOne(in: 2) ? [] : Array(repeating: Empty(), count: number(0...99))
        case 5: state.byName = Dictionary(uniqueKeysWithValues: state.byName.shuffled())
        default:
            edit(&state.flags) {
                $0.isOne(in: 2)
            } change: {
                $1.toggle(); _ = $0
            }
        }
    }

    private mutating func changeKeyed(_ state: inout FormState) {
        let key = number(-9...9)
        guard isOne(in: 3) else { return state.byNumber[key, default: []].append(number(0...9)) }
        state.byNumber[key] = isOne(in: 2) ? nil : list()
    }

    private mutating func change<Value>(
        _ dictionary: inout [String: Value], make: (inout Self) -> Value
    ) {
        let key = isOne(in: 3) ? word() : "key \(number(0...size))"
        dictionary[key] = isOne(in: 4) ? nil : make(&self)
    }

    private mutating func box() -> FormBox? {
        isOne(in: 5) ? nil : FormBox(label: word(), items: (0..<number(0...4)).map { _ in row() })
    }
}

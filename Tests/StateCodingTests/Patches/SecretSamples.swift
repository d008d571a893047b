import Bytes
import Redux

@testable import StateCoding

/// A secret that holds another one.
struct SecretLogin: Codable, Hashable, Sendable {
    var user: String
    var token: Secret<String>?
}

/// A record with an id and secrets.
struct SecretRecord: Codable, Identifiable, Sendable {
    var id: Int
    var name: String
    var password: Secret<String>
    var login: Secret<SecretLogin>?
    var codes: [Secret<Int>]
}

/// A record without an id, which hides a text, shows another, or has none.
enum SecretRow: Codable, Hashable, Sendable {
    case none
    case plain(String)
    case sealed(Secret<String>)
    case paired(Secret<String>?, Int, Secret<String>)
    case hidden(key: Secret<String>, note: String)
}

/// A key of which a part does not show.
struct SecretKey: Codable, Hashable, Sendable {
    var number: Int
    var token: Secret<String>
}

/// A value that fills containers in turn, or puts them in later, with secrets in all.
struct SecretOwn: Encodable, Sendable {
    var number: Int
    var token: Secret<String>

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: SampleKey.self)
        if number % 2 == 0 {
            let late = container.superEncoder()
            try container.encode(token, forKey: .y)
            var inside = late.container(keyedBy: SampleKey.self)
            try inside.encode(Secret("hush-\(number)"), forKey: .x)
        } else {
            var first = container.nestedContainer(keyedBy: SampleKey.self, forKey: .x)
            var second = container.nestedUnkeyedContainer(forKey: .y)
            try first.encode(token, forKey: .a)
            try second.encode(token)
            try first.encode(number, forKey: .b)
            try second.encode(Set([token, Secret("hush-\(number)")]))
        }
    }
}

/// A state with secrets in all places.
struct SecretState: Encodable {
    var counter = 0
    var key: Secret<String>?
    var wall = Secret([Secret(1), Secret(2)])
    var door = SecretRow.none
    var records: [SecretRecord] = []
    var rows: [SecretRow] = []
    var byName: [String: Secret<String>] = [:]
    var byKey: [SecretKey: SecretRow] = [:]
    var bag: Set<Secret<Int>> = []
    var rowBag: Set<SecretRow> = []
    var grid: [[Secret<Int>]] = []
    var own: [SecretOwn] = []
    var empty = Secret(0)
}

/// Makes random states with secrets, and changes them.
struct SecretStateGenerator: SampleGenerator {
    var random: SplitMix
    /// The number of elements that collections grow to.
    let size: Int
    /// States fill containers in turn, and put them in later.
    let isInterleaved: Bool

    /// Stand in every secret, and in nothing else.
    static let marks = ["hush-", "7700"]

    init(seed: UInt64, size: Int, isInterleaved: Bool) {
        random = SplitMix(seed: seed)
        self.size = size
        self.isInterleaved = isInterleaved
    }

    private mutating func token() -> Secret<String> {
        Secret("hush-\(number(0...9))\(isOne(in: 3) ? "/~\"{[,]}\\é" : "")")
    }

    private mutating func code() -> Secret<Int> { Secret(77000 + number(0...9)) }

    private mutating func login() -> Secret<SecretLogin>? {
        guard isOne(in: 3) else { return nil }
        return Secret(SecretLogin(user: "hush-user", token: isOne(in: 2) ? token() : nil))
    }

    private mutating func row() -> SecretRow {
        switch number(0...6) {
        case 0: .none
        case 1: .plain("a plain text \(number(0...3))")
        case 2: .sealed(token())
        case 3: .paired(isOne(in: 2) ? nil : token(), number(0...3), token())
        default: .hidden(key: token(), note: isOne(in: 3) ? "a/b" : "")
        }
    }

    private mutating func record(_ id: Int) -> SecretRecord {
        SecretRecord(
            id: id, name: "record number \(id)", password: token(), login: login(),
            codes: codes(isOne(in: 8) ? size : 2))
    }

    private mutating func codes(_ count: Int) -> [Secret<Int>] {
        (0..<number(0...count)).map { _ in code() }
    }

    mutating func state() -> SecretState {
        var state = SecretState()
        let count = number(0...size)
        state.records = (0..<count).map { record($0) }
        state.rows = (0..<count).map { _ in row() }
        for _ in 0..<30 { change(&state) }
        return state
    }

    mutating func change(_ state: inout SecretState) {
        switch number(0...16) {
        case 0: state.counter += 1
        case 1: state.key = isOne(in: 3) ? nil : token()
        case 2: state.wall = Secret([code(), code()])
        case 3: state.door = row()
        case 4, 5, 6:
            edit(&state.records) {
                $0.record($0.number(0...99))
            } change: {
                $0.change(&$1)
            }
        case 7, 8:
            edit(&state.rows) {
                $0.row()
            } change: {
                $1 = $0.row()
            }
        case 9: state.byName["key \(number(0...size))/~"] = isOne(in: 3) ? nil : token()
        case 10:
            let key = SecretKey(number: number(0...3), token: token())
            state.byKey[key] = isOne(in: 3) ? nil : row()
        case 11:
            if let key = state.byKey.keys.randomElement(using: &random) { state.byKey[key] = row() }
        case 12: state.bag.formSymmetricDifference([code()])
        case 13: state.rowBag.formSymmetricDifference([row(), row()])
        case 14, 15:
            edit(&state.grid) {
                $0.codes($0.size)
            } change: {
                $0.edit(&$1) {
                    $0.code()
                } change: {
                    $1 = $0.code()
                }
            }
        default:
            guard isInterleaved else { return }
            let own = SecretOwn(number: number(0...9), token: token())
            if isOne(in: 2) { state.own = [] } else { state.own.append(own) }
        }
    }

    private mutating func change(_ record: inout SecretRecord) {
        switch number(0...4) {
        case 0: record.name += "!"
        case 1: record.login = login()
        case 2: record.codes = codes(3)
        case 3 where isOne(in: 4): record.id += 100
        default: record.password = token()
        }
    }
}

import Redux
import Sockets
import StateCoding

/// The application whose one session keeps people.
struct PeopleApplication<Details: StateValue>: Application {
    static var session: String { "all" }

    let limit: Int
    let initialState = PeopleState<Details>()
    let views = Views<PeopleState<Details>>.all

    func reduce(
        _ state: inout PeopleState<Details>, _ action: PeopleFact<Details>, _ step: Step
    ) throws(Rejection) {
        try state.apply(action, limit: limit, at: step.at)
    }

    func work(in state: PeopleState<Details>) -> [Work<PeopleFact<Details>>] {}
}

/// All that can happen to people.
enum PeopleFact<Details: StateValue>: FactGroup {
    /// - Parameter gone: the numbers of the sign-ins that make room.
    case signedIn(
        person: People<Details>.Person, number: String, secret: Secret<String>, maker: UInt16,
        gone: [String] = [])
    case signedOut(number: String)
    case kept(details: Details?, id: String)
    case erased(id: String)
    /// The past until an erasure is unreadable.
    case pastForgotten(erasure: Int)
}

/// Who has signed in, and what is kept of whom.
struct PeopleState<Details: StateValue>: StateValue {
    typealias Person = People<Details>.Person

    /// What is kept of one.
    struct Kept: StateValue {
        var person: Person
        /// The change that has last said something of them.
        var age = 0
        /// Follows from the sign-ins.
        fileprivate(set) var signInCount = 0

        private enum CodingKeys: CodingKey { case person, age }
    }

    /// One person in one browser.
    struct SignIn: StateValue {
        let person: String
        let secret: Secret<String>
        /// The print of the client or network that has signed in: clients share the room that there is.
        let maker: UInt16
        let time: Timestamp
        /// Of two, the older one has the smaller number.
        let order: Int

        /// The browser has forgotten the cookie by then.
        func isOver(at now: Timestamp) -> Bool { now >= time + SignInCookie.lifetime }
    }

    /// By their ids.
    private(set) var people = Parts<Kept>()
    /// By their numbers.
    private(set) var signIns = Parts<SignIn>()
    /// Tells the later one of two states.
    private(set) var changeCount = 0
    /// So often sign-ins have made room for others.
    private(set) var evictionCount = 0
    /// The last erasure whose past is still to be made unreadable; nil where none is.
    private(set) var erasure: Int?

    /// - Parameter limit: as many people, and as many sign-ins.
    mutating func apply(
        _ fact: PeopleFact<Details>, limit: Int, at time: Timestamp
    ) throws(Rejection) {
        switch fact {
        case .signedIn(var person, let number, let secret, let maker, let gone):
            person.details = person.details ?? people[person.id]?.person.details
            end(gone)
            // Somebody else has had the room that was to be made.
            if signIns.count >= limit, let oldest = signIns.all.min(by: Self.isOlder) {
                end([oldest.key])
            }
            evictionCount += gone.isEmpty ? 0 : 1
            try insert(person, limit: limit)
            signIns[number] = SignIn(
                person: person.id, secret: secret, maker: maker, time: time, order: changeCount)
            people[person.id]?.signInCount += 1
        case .signedOut(let number): end([number])
        case .kept(let details, let id):
            var person = people[id]?.person ?? Person(id)
            person.details = details
            try insert(person, limit: limit)
            forgetStranger(id)
        case .erased(let id):
            end(signIns.all.filter { $0.value.person == id }.map(\.key))
            (people[id], erasure) = (nil, changeCount)
        case .pastForgotten(let past): if erasure == past { erasure = nil }
        }
        changeCount += 1
    }

    // MARK: Room

    /// The sign-ins that go where a maker has one more: those that are over, and where there is no room, or
    /// the maker has as many as one may have, the oldest one of an idle person, or the oldest, of the maker, or
    /// else of who has most.
    func leaving(
        for maker: UInt16, limit: Int, at time: Timestamp, isIdle: (String) -> Bool
    ) -> [String] {
        var over: [String] = []
        var counts: [UInt16: Int] = [:]
        for (number, signIn) in signIns.all {
            if signIn.isOver(at: time) {
                over.append(number)
            } else {
                counts[signIn.maker, default: 0] += 1
            }
        }
        let isAtShare = counts[maker, default: 0] >= Accounts.share(0.25, of: limit)
        guard isAtShare || signIns.count - over.count >= limit else { return over }
        let most = isAtShare ? maker : counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
        let candidates = signIns.all
            .filter { $0.value.maker == most && !$0.value.isOver(at: time) }
            .sorted(by: Self.isOlder)
        let other = candidates.first { isIdle($0.value.person) } ?? candidates.first
        return over + (other.map { [$0.key] } ?? [])
    }

    private static func isOlder(
        _ one: (key: String, value: SignIn), _ other: (key: String, value: SignIn)
    ) -> Bool { one.value.order < other.value.order }

    private mutating func end(_ numbers: [String]) {
        for number in numbers {
            guard let person = signIns[number]?.person else { continue }
            signIns[number] = nil
            people[person]?.signInCount -= 1
            forgetStranger(person)
        }
    }

    /// Who has signed in is never forgotten for others; else, those of whom nothing was said for the longest.
    private mutating func insert(_ person: Person, limit: Int) throws(Rejection) {
        let signInCount = people[person.id]?.signInCount
        if signInCount == nil, people.count >= limit {
            let others = people.all.filter { $0.value.signInCount == 0 }
            let oldest = others.min { $0.value.age < $1.value.age }
            guard let oldest else { throw .tooManyPeople }
            people[oldest.key] = nil
        }
        people[person.id] = Kept(
            person: person, age: changeCount, signInCount: signInCount ?? 0)
    }

    /// Forgets one who has not signed in, and of whom nothing is kept.
    private mutating func forgetStranger(_ id: String) {
        guard let kept = people[id], kept.signInCount == 0, kept.person.details == nil else {
            return
        }
        people[id] = nil
    }
}

extension PeopleState {
    private enum Former: CodingKey { case ages }

    /// Also one of an earlier build.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        people = try values.decode(Parts.self, forKey: .people)
        signIns = try values.decode(Parts.self, forKey: .signIns)
        changeCount = try values.decode(Int.self, forKey: .changeCount)
        evictionCount = try values.decode(Int.self, forKey: .evictionCount)
        erasure = try values.decodeIfPresent(Int.self, forKey: .erasure)
        let former = try decoder.container(keyedBy: Former.self)
        let ages = try former.decodeIfPresent([String: Int].self, forKey: .ages)
        for (id, age) in ages ?? [:] { people[id]?.age = age }
        for (_, signIn) in signIns.all { people[signIn.person]?.signInCount += 1 }
    }
}

extension PeopleState.Kept {
    /// Also one of an earlier build, which has kept the person alone.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let person = try values.decodeIfPresent(PeopleState.Person.self, forKey: .person)
        self.init(
            person: try person ?? PeopleState.Person(from: decoder),
            age: try values.decodeIfPresent(Int.self, forKey: .age) ?? 0)
    }
}

/// A dictionary in parts, so that a change copies, compares and writes a small one: of 10,000 people a
/// hundredth.
struct Parts<Value: StateValue>: StateValue {
    /// Kept: another number needs other places for what is there.
    private static var partCount: UInt32 { 128 }
    private var parts: [[String: Value]] = []

    init() {}

    /// Also one that an earlier build has kept whole.
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let parts = try? container.decode([[String: Value]].self) {
            self.parts = parts
        } else {
            for (key, value) in try container.decode([String: Value].self) { self[key] = value }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(parts)
    }

    var count: Int { parts.reduce(0) { $0 + $1.count } }
    var all: some Sequence<(key: String, value: Value)> { parts.lazy.joined() }

    subscript(key: String) -> Value? {
        get { parts.isEmpty ? nil : parts[Self.place(of: key)][key] }
        set {
            if parts.isEmpty { parts = Array(repeating: [:], count: Int(Self.partCount)) }
            parts[Self.place(of: key)][key] = newValue
        }
    }

    /// What is not in a later state of the same.
    func missing(in later: Parts) -> [Value] {
        // Most parts are the very same.
        zip(parts, later.parts).lazy.filter { $0 != $1 }.flatMap { former, present in
            former.filter { present[$0.key] == nil }.values
        }
    }

    /// By a hash that is the same in all processes (FNV-1a).
    private static func place(of key: String) -> Int {
        let hash = key.utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return Int(hash % partCount)
    }
}

extension Rejection {
    fileprivate static let tooManyPeople = Rejection(
        "too-many-people", "There is no room for more people.", kind: .conflict)
}

extension Schema {
    /// The schema of a state with people, from that of what is kept of each of them.
    var ofPeople: Schema {
        let migrations = migrations.map { migration in
            Migration(migration.version) { (json) throws(DecodingFailure) in
                let people = try JSONValue(parsing: json.span)["people"]
                let parts = people?.elements?.compactMap(\.members) ?? [people?.members ?? []]
                var (result, end): ([UInt8], Int) = ([], 0)
                // An earlier build has kept the person alone.
                for details in parts.joined().compactMap({
                    ($0.value["person"] ?? $0.value)["details"]
                }) {
                    result +=
                        try json[end..<details.range.lowerBound]
                        + migration.migrate(details.json)
                    end = details.range.upperBound
                }
                return result + json[end...]
            }
        }
        return Schema(version: version, migrations: migrations)
    }
}

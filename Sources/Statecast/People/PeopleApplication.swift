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
    private(set) var people = Parts<Person>()
    /// By their numbers.
    private(set) var signIns = Parts<SignIn>()
    /// The changes that have last said something of a person, by ids.
    private var ages = Parts<Int>()
    /// The sign-ins of each maker; not kept.
    private var counts: [UInt16: Int] = [:]
    /// Tells the later one of two states.
    private(set) var changeCount = 0
    /// The last erasure whose past is still to be made unreadable; nil where none is.
    private(set) var erasure: Int?

    private enum CodingKeys: CodingKey { case people, signIns, ages, changeCount, erasure }

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        people = try container.decode(Parts<Person>.self, forKey: .people)
        signIns = try container.decode(Parts<SignIn>.self, forKey: .signIns)
        ages = try container.decode(Parts<Int>.self, forKey: .ages)
        changeCount = try container.decode(Int.self, forKey: .changeCount)
        erasure = try container.decodeIfPresent(Int.self, forKey: .erasure)
        for (_, signIn) in signIns.all { counts[signIn.maker, default: 0] += 1 }
    }

    /// - Parameter limit: as many people, and as many sign-ins.
    mutating func apply(
        _ fact: PeopleFact<Details>, limit: Int, at time: Timestamp
    ) throws(Rejection) {
        switch fact {
        case .signedIn(var person, let number, let secret, let maker, let gone):
            person.details = person.details ?? people[person.id]?.details
            end(gone)
            // Somebody else has had the room that was to be made.
            if let crowded = crowded(by: maker, limit: limit), let oldest = oldest(of: crowded) {
                end([oldest])
            }
            try insert(person, limit: limit)
            signIns[number] = SignIn(
                person: person.id, secret: secret, maker: maker, time: time, order: changeCount)
            counts[maker, default: 0] += 1
        case .signedOut(let number): end([number])
        case .kept(let details, let id):
            var person = people[id] ?? Person(id)
            person.details = details
            try insert(person, limit: limit)
            forgetStrangers(among: [id])
        case .erased(let id):
            end(signIns.all.filter { $0.value.person == id }.map(\.key))
            (people[id], ages[id], erasure) = (nil, nil, changeCount)
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
        let over = signIns.all.filter { $0.value.isOver(at: time) }.map(\.key)
        var rest = self
        rest.end(over)
        guard let crowded = rest.crowded(by: maker, limit: limit) else { return over }
        let other = rest.oldest(of: crowded) { isIdle($0.person) } ?? rest.oldest(of: crowded)
        return over + [other].compactMap(\.self)
    }

    /// Who makes room where a maker has one more sign-in; nil where there is some.
    private func crowded(by maker: UInt16, limit: Int) -> UInt16? {
        if counts[maker, default: 0] >= Accounts.share(0.25, of: limit) { return maker }
        guard signIns.count >= limit else { return nil }
        return counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    }

    private func oldest(
        of maker: UInt16, where isMeant: (SignIn) -> Bool = { _ in true }
    ) -> String? {
        var oldest: (key: String, value: SignIn)?
        for next in signIns.all where next.value.maker == maker {
            let isOlder = oldest.map { next.value.order < $0.value.order } ?? true
            if isOlder, isMeant(next.value) { oldest = next }
        }
        return oldest?.key
    }

    private mutating func end(_ numbers: [String]) {
        var people: [String] = []
        for number in numbers {
            guard let signIn = signIns[number] else { continue }
            people.append(signIn.person)
            signIns[number] = nil
            let count = counts[signIn.maker, default: 0]
            counts[signIn.maker] = count > 1 ? count - 1 : nil
        }
        forgetStrangers(among: people)
    }

    /// Who has signed in is never forgotten for others; else, those of whom nothing was said for the longest.
    private mutating func insert(_ person: Person, limit: Int) throws(Rejection) {
        if people[person.id] == nil, people.count >= limit {
            let present = Set(signIns.all.lazy.map(\.value.person))
            let others = ages.all.filter { !present.contains($0.key) }
            guard let oldest = others.min(by: { $0.value < $1.value })?.key else {
                throw .tooManyPeople
            }
            (people[oldest], ages[oldest]) = (nil, nil)
        }
        (people[person.id], ages[person.id]) = (person, changeCount)
    }

    /// Forgets those who have not signed in, and of whom nothing is kept.
    private mutating func forgetStrangers(among ids: [String]) {
        for id in absent(among: ids.filter { people[$0]?.details == nil }) {
            (people[id], ages[id]) = (nil, nil)
        }
    }

    /// Those of some people who have no sign-in.
    func absent(among ids: [String]) -> Set<String> {
        var absent = Set(ids)
        guard !absent.isEmpty else { return [] }
        for (_, signIn) in signIns.all {
            absent.remove(signIn.person)
            if absent.isEmpty { break }
        }
        return absent
    }
}

/// A dictionary in parts, so that a change copies, compares and writes a small one: with 10,000 people one
/// of forty.
struct Parts<Value: StateValue>: StateValue {
    private static var partCount: UInt32 { 256 }
    private var parts: [[String: Value]] = []

    init() {}

    /// Also one that an earlier build has kept whole, or in other parts.
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let parts =
            try (try? container.decode([[String: Value]].self))
            ?? [container.decode([String: Value].self)]
        if parts.count == Self.partCount {
            self.parts = parts
        } else {
            for (key, value) in parts.joined() { self[key] = value }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(parts)
    }

    var count: Int { parts.reduce(0) { $0 + $1.count } }
    var all: some Sequence<(key: String, value: Value)> { parts.lazy.joined() }

    /// What is not in another one, at a cost of what differs.
    func missing(in other: Self) -> [Value] {
        guard !other.parts.isEmpty else { return all.map(\.value) }
        return zip(parts, other.parts).flatMap { mine, others in
            mine == others ? [] : mine.filter { others[$0.key] == nil }.map(\.value)
        }
    }

    subscript(key: String) -> Value? {
        get { parts.isEmpty ? nil : parts[Self.place(of: key)][key] }
        set {
            if parts.isEmpty { parts = Array(repeating: [:], count: Int(Self.partCount)) }
            parts[Self.place(of: key)][key] = newValue
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
                for details in parts.joined().compactMap({ $0.value["details"] }) {
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

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
    /// - Parameters:
    ///   - gone: the numbers of the sign-ins that make room.
    ///   - most: the maker may have so many, as the operator says at that time; nil, of an earlier build: a
    ///     quarter.
    case signedIn(
        person: People<Details>.Person, number: String, secret: Secret<String>, maker: UInt16,
        gone: [String] = [], most: Int? = nil)
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
    /// The numbers of the sign-ins, the oldest first, those of all, of each maker and of each person; and who
    /// has none, of whom nothing was said for longest first. Not kept.
    private var queues = Parts<String>()
    /// The sign-ins of each maker: counted again when what is kept is read.
    private var accounts = Accounts()
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
        let counts = signIns.all.map { $0.value.order } + ages.all.map { $0.value } + [changeCount]
        guard counts.allSatisfy({ 0..<1 << 60 ~= $0 }) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "Changes are counted from 0, and never so far."))
        }
        for (number, signIn) in signIns.all { enqueue(signIn, number) }
        for (id, _) in people.all where !isPresent(id) { noteAway(id, id) }
    }

    /// - Parameter limit: as many people, and as many sign-ins.
    mutating func apply(
        _ fact: PeopleFact<Details>, limit: Int, at time: Timestamp
    ) throws(Rejection) {
        switch fact {
        case .signedIn(var person, let number, let secret, let maker, let gone, let most):
            person.details = person.details ?? people[person.id]?.details
            end(gone)
            // Somebody else has had the room that was to be made, or there is less of it since a start.
            let most = most ?? Accounts.share(0.25, of: limit)
            while let crowded = crowded(by: maker, most: most, limit: limit),
                let oldest = oldest(of: crowded)
            {
                end([oldest])
            }
            try insert(person, limit: limit)
            let signIn = SignIn(
                person: person.id, secret: secret, maker: maker, time: time, order: changeCount)
            signIns[number] = signIn
            enqueue(signIn, number)
        case .signedOut(let number): end([number])
        case .kept(let details, let id):
            var person = people[id] ?? Person(id)
            person.details = details
            try insert(person, limit: limit)
            forgetStranger(id)
        case .erased(let id):
            end(signIns(of: id))
            forget(id)
            erasure = changeCount
        case .pastForgotten(let past): if erasure == past { erasure = nil }
        }
        changeCount += 1
    }

    // MARK: Queues

    private static func queue(of maker: UInt16) -> String { "maker \(maker)" }
    /// No other person's begins like it.
    private static func queue(of person: String) -> String { "\(person.count) \(person)" }

    private static func place(_ order: Int, in queue: String) -> String {
        let digits = String(order, radix: 16)
        return "\(queue)/" + String(repeating: "0", count: 16 - digits.count) + digits
    }

    private func queue(_ name: String) -> some Sequence<String> {
        queues.ascending(from: "\(name)/").lazy.prefix { $0.key.hasPrefix("\(name)/") }
            .map(\.value)
    }

    /// - Parameter value: the id; nil for one who has signed in, or is forgotten.
    private mutating func noteAway(_ id: String, _ value: String?) {
        if let age = ages[id] { queues[Self.place(age, in: "away")] = value }
    }

    /// - Parameter number: nil: it ends.
    private mutating func enqueue(_ signIn: SignIn, _ number: String?) {
        let names = ["all", Self.queue(of: signIn.maker), Self.queue(of: signIn.person)]
        for name in names { queues[Self.place(signIn.order, in: name)] = number }
        accounts.add(number == nil ? -1 : 1, .signIns, of: signIn.maker)
    }

    /// The numbers of a person's sign-ins.
    func signIns(of person: String) -> [String] { Array(queue(Self.queue(of: person))) }

    private func isPresent(_ id: String) -> Bool {
        queue(Self.queue(of: id)).contains { _ in true }
    }

    /// Those of some people who have no sign-in.
    func absent(among ids: [String]) -> Set<String> { Set(ids.filter { !isPresent($0) }) }

    // MARK: Room

    /// The sign-ins that go where a maker has one more: those that are over, and where there is no room, or
    /// the maker has as many as one may have, the oldest one of an idle person, or the oldest, of the maker, or
    /// else of who has most.
    func leaving(
        for maker: UInt16, most: Int, limit: Int, at time: Timestamp, isIdle: (String) -> Bool
    ) -> [String] {
        let over = queue("all").prefix { signIns[$0]?.isOver(at: time) ?? true }
        var rest = self
        rest.end(over)
        guard let crowded = rest.crowded(by: maker, most: most, limit: limit) else { return over }
        let other = rest.oldest(of: crowded, where: isIdle) ?? rest.oldest(of: crowded)
        return over + [other].compactMap(\.self)
    }

    /// Who makes room where a maker has one more sign-in; nil where there is some.
    private func crowded(by maker: UInt16, most: Int, limit: Int) -> UInt16? {
        if accounts[.signIns, maker] >= most { return maker }
        return accounts.total(.signIns) >= limit ? accounts.first(in: .signIns) : nil
    }

    private func oldest(
        of maker: UInt16, where isMeant: (String) -> Bool = { _ in true }
    ) -> String? {
        queue(Self.queue(of: maker)).first { isMeant(signIns[$0]?.person ?? "") }
    }

    private mutating func end(_ numbers: [String]) {
        for number in numbers {
            guard let signIn = signIns[number] else { continue }
            signIns[number] = nil
            enqueue(signIn, nil)
            forgetStranger(signIn.person)
        }
    }

    /// Who has signed in is never forgotten for others; else, those of whom nothing was said for the longest.
    private mutating func insert(_ person: Person, limit: Int) throws(Rejection) {
        if people[person.id] == nil, people.count >= limit {
            guard let oldest = queue("away").first(where: { _ in true }) else {
                throw .tooManyPeople
            }
            forget(oldest)
        }
        noteAway(person.id, nil)
        (people[person.id], ages[person.id]) = (person, changeCount)
    }

    private mutating func forget(_ id: String) {
        noteAway(id, nil)
        (people[id], ages[id]) = (nil, nil)
    }

    /// Forgets one who has not signed in, and of whom nothing is kept.
    private mutating func forgetStranger(_ id: String) {
        guard let person = people[id], !isPresent(id) else { return }
        if person.details == nil { forget(id) } else { noteAway(id, id) }
    }
}

/// A dictionary in parts, by the order of its keys, so that a change copies, compares and writes a small one,
/// whoever has chosen the keys.
struct Parts<Value: StateValue>: StateValue {
    /// A part of more is halved.
    private static var partLimit: Int { 64 }

    private var parts: [[String: Value]] = []
    /// For each part but the first, the least key that it takes.
    private var borders: [String] = []

    init() {}

    /// Also one that an earlier build has kept whole, or in other parts.
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let kept =
            try (try? container.decode([[String: Value]].self))
            ?? [container.decode([String: Value].self)]
        let isOrdered = zip(kept, kept.dropFirst()).allSatisfy { part, next in
            next.keys.min().map { least in part.keys.allSatisfy { $0 < least } } ?? false
        }
        if isOrdered, kept.allSatisfy({ 1...Self.partLimit ~= $0.count }) {
            (parts, borders) = (kept, kept.dropFirst().compactMap { $0.keys.min() })
        } else {
            for (key, value) in kept.joined() { self[key] = value }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(parts)
    }

    var count: Int { parts.reduce(0) { $0 + $1.count } }
    var all: some Sequence<(key: String, value: Value)> { parts.lazy.joined() }

    /// In the order of the keys, from one on.
    func ascending(from key: String) -> some Sequence<(key: String, value: Value)> {
        parts.dropFirst(place(of: key)).lazy.flatMap { part in
            part.filter { $0.key >= key }.sorted { $0.key < $1.key }
        }
    }

    /// What is not in another one, at a cost of what differs.
    func missing(in other: Self) -> [Value] {
        parts.flatMap { part in
            let isThere = part.keys.first.map { other.part(of: $0) == part } ?? true
            return isThere ? [] : part.filter { other[$0.key] == nil }.map(\.value)
        }
    }

    subscript(key: String) -> Value? {
        get { part(of: key)[key] }
        set {
            if parts.isEmpty { parts = [[:]] }
            let place = place(of: key)
            parts[place][key] = newValue
            if parts[place].isEmpty {
                parts.remove(at: place)
                if !borders.isEmpty { borders.remove(at: max(0, place - 1)) }
            } else if parts[place].count > Self.partLimit {
                halve(place)
            }
        }
    }

    private mutating func halve(_ place: Int) {
        let border = parts[place].keys.sorted()[Self.partLimit / 2]
        let upper = parts[place].filter { $0.key >= border }
        parts[place] = parts[place].filter { $0.key < border }
        parts.insert(upper, at: place + 1)
        borders.insert(border, at: place)
    }

    private func part(of key: String) -> [String: Value] {
        parts.isEmpty ? [:] : parts[place(of: key)]
    }

    /// The number of the part that takes a key.
    private func place(of key: String) -> Int {
        var (low, high) = (0, borders.count)
        while low < high {
            let middle = (low + high) / 2
            if borders[middle] <= key { low = middle + 1 } else { high = middle }
        }
        return low
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

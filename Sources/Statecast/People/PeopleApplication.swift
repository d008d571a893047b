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
    case signedIn(
        person: People<Details>.Person, number: String, secret: Secret<String>, maker: UInt16,
        idle: String? = nil)
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
    var people: [String: Person] = [:]
    /// By their numbers.
    var signIns: [String: SignIn] = [:]
    /// The changes that have last said something of a person, by ids.
    private var ages: [String: Int] = [:]
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
        case .signedIn(var person, let number, let secret, let maker, let idle):
            person.details = person.details ?? people[person.id]?.details
            makeRoom(for: maker, idle, limit: limit, at: time)
            try insert(person, limit: limit)
            signIns[number] = SignIn(
                person: person.id, secret: secret, maker: maker, time: time, order: changeCount)
        case .signedOut(let number):
            let signIn = signIns.removeValue(forKey: number)
            forgetStrangers(among: signIn.map { [$0.person] } ?? [])
        case .kept(let details, let id):
            var person = people[id] ?? Person(id)
            person.details = details
            try insert(person, limit: limit)
            forgetStrangers(among: [id])
        case .erased(let id):
            signIns = signIns.filter { $0.value.person != id }
            (people[id], ages[id], erasure) = (nil, nil, changeCount)
        case .pastForgotten(let past): if erasure == past { erasure = nil }
        }
        changeCount += 1
    }

    // MARK: Room

    /// The sign-ins one of which makes room for another one of a maker, the oldest first: the maker's own
    /// where these are as many as one may have, those of who has most where there is no room; none where
    /// there is.
    func candidates(
        for maker: UInt16, limit: Int, at time: Timestamp
    ) -> [(number: String, person: String)] {
        let all = signIns.filter { !$0.value.isOver(at: time) }
        let counts = all.values.reduce(into: [UInt16: Int]()) { $0[$1.maker, default: 0] += 1 }
        let isAtShare = counts[maker, default: 0] >= Accounts.share(0.25, of: limit)
        guard isAtShare || all.count >= limit else { return [] }
        let most = isAtShare ? maker : counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
        return all.filter { $0.value.maker == most }
            .sorted { $0.value.order < $1.value.order }
            .map { ($0.key, $0.value.person) }
    }

    /// Ends the sign-ins that are over and, where there is no room, one more.
    ///
    /// - Parameter idle: the number of the one that goes, if it is a candidate; else the oldest.
    private mutating func makeRoom(
        for maker: UInt16, _ idle: String?, limit: Int, at time: Timestamp
    ) {
        var gone = signIns.filter { $0.value.isOver(at: time) }.map(\.key)
        let candidates = candidates(for: maker, limit: limit, at: time)
        if let other = candidates.first(where: { $0.number == idle }) ?? candidates.first {
            gone.append(other.number)
            evictionCount += 1
        }
        forgetStrangers(among: gone.compactMap { signIns.removeValue(forKey: $0)?.person })
    }

    /// Who has signed in is never forgotten for others; else, those of whom nothing was said for the longest.
    private mutating func insert(_ person: Person, limit: Int) throws(Rejection) {
        if people[person.id] == nil, people.count >= limit {
            let present = presentIDs
            let oldest = people.keys.filter { !present.contains($0) }.min {
                ages[$0, default: 0] < ages[$1, default: 0]
            }
            guard let oldest else { throw .tooManyPeople }
            (people[oldest], ages[oldest]) = (nil, nil)
        }
        (people[person.id], ages[person.id]) = (person, changeCount)
    }

    private var presentIDs: Set<String> { Set(signIns.values.lazy.map(\.person)) }

    /// Forgets those who have not signed in, and of whom nothing is kept.
    private mutating func forgetStrangers(among ids: [String]) {
        let ids = ids.filter { people[$0]?.details == nil }
        let present = ids.isEmpty ? [] : presentIDs
        for id in ids where !present.contains(id) { (people[id], ages[id]) = (nil, nil) }
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
                let people = try JSONValue(parsing: json.span)["people"]?.members ?? []
                var (result, end): ([UInt8], Int) = ([], 0)
                for details in people.compactMap({ $0.value["details"] }) {
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

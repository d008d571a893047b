import Redux

/// The application whose one session keeps people.
struct PeopleApplication<Details: StateValue>: Application {
    static var session: String { "all" }

    let limit: Int
    let initialState = PeopleState<Details>()
    let views = Views<PeopleState<Details>>.all

    func reduce(
        _ state: inout PeopleState<Details>, _ action: PeopleFact<Details>, _ step: Step
    ) throws(Rejection) {
        try state.apply(action, limit: limit)
    }

    func work(in state: PeopleState<Details>) -> [Work<PeopleFact<Details>>] {}
}

/// All that can happen to people.
enum PeopleFact<Details: StateValue>: FactGroup {
    case signedIn(person: People<Details>.Person, number: String, secret: Secret<String>)
    case signedOut(number: String)
    case kept(details: Details?, id: String)
    case erased(id: String)
}

/// Who has signed in, and what is kept of whom.
struct PeopleState<Details: StateValue>: StateValue {
    typealias Person = People<Details>.Person

    /// One person in one browser.
    struct SignIn: StateValue {
        let person: String
        let secret: Secret<String>
        /// Of two, the older one has the smaller number.
        let order: Int
    }

    /// By their ids.
    var people: [String: Person] = [:]
    /// By their numbers.
    var signIns: [String: SignIn] = [:]
    /// Tells the later one of two states.
    var changeCount = 0

    /// - Parameter limit: as many people, and as many sign-ins.
    mutating func apply(_ fact: PeopleFact<Details>, limit: Int) throws(Rejection) {
        switch fact {
        case .signedIn(var person, let number, let secret):
            person.details = person.details ?? people[person.id]?.details
            let oldest = signIns.min { $0.value.order < $1.value.order }
            if signIns.count == limit, let oldest { signOut(oldest.key) }
            try insert(person, limit: limit)
            signIns[number] = SignIn(person: person.id, secret: secret, order: changeCount)
        case .signedOut(let number): signOut(number)
        case .kept(let details, let id):
            var person = people[id] ?? Person(id)
            person.details = details
            try insert(person, limit: limit)
            forget(id)
        case .erased(let id):
            signIns = signIns.filter { $0.value.person != id }
            people[id] = nil
        }
        changeCount += 1
    }

    private mutating func insert(_ person: Person, limit: Int) throws(Rejection) {
        guard people[person.id] != nil || people.count < limit else { throw .tooManyPeople }
        people[person.id] = person
    }

    private mutating func signOut(_ number: String) {
        if let signIn = signIns.removeValue(forKey: number) { forget(signIn.person) }
    }

    /// Forgets one who has not signed in, and of whom nothing is kept.
    private mutating func forget(_ id: String) {
        guard people[id]?.details == nil, !signIns.values.contains(where: { $0.person == id })
        else { return }
        people[id] = nil
    }
}

extension Rejection {
    fileprivate static let tooManyPeople = Rejection(
        "too-many-people", "There is no room for more people.", kind: .conflict)
}

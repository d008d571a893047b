import StateCoding

/// The texts and numbers that stand in a state: the ids, names and keys that an action may be about.
struct StateWords {
    private(set) var texts: [String] = []
    private(set) var numbers: [Int] = []
    /// The members that the state has within others, and the kinds of their values: a state with one
    /// that no state had before is worth going on from.
    private(set) var features: Set<String> = []
    private var textsOfMember: [String: [String]] = [:]
    private var numbersOfMember: [String: [Int]] = [:]
    /// So many values of a state are looked at.
    private static let limit = 4_000

    /// None.
    init() {}

    /// The words of a state's JSON.
    init(of json: [UInt8]) throws(DecodingFailure) {
        var texts: [String: Set<String>] = [:]
        var numbers: [String: Set<Int>] = [:]
        var waiting = [(member: "", value: try JSONDocument(parsing: json.span).root)]
        var count = 0
        while let (member, value) = waiting.popLast(), count < Self.limit {
            count += 1
            if let flag = value.bool { features.insert("\(member)=\(flag)") }
            if let text = value.string {
                texts[member, default: []].insert(text)
            } else if let number = value.integer {
                numbers[member, default: []].insert(number)
            } else if let elements = value.elements {
                features.insert("\(member)[\(min(elements.count, 3))]")
                waiting += elements.map { (member, $0) }
            } else if let members = value.members {
                texts["", default: []].formUnion(members.map(\.name))
                features.formUnion(members.map { "\(member)/\($0.name)" })
                waiting += members.map { ($0.name, $0.value) }
            }
        }
        // In an order that is the same in every run.
        textsOfMember = texts.mapValues { $0.sorted() }
        numbersOfMember = numbers.mapValues { $0.sorted() }
        self.texts = texts.values.reduce(into: Set()) { $0.formUnion($1) }.sorted()
        self.numbers = numbers.values.reduce(into: Set()) { $0.formUnion($1) }.sorted()
    }

    /// The texts that the state has under a name; where it has none, a name that ends with ID is
    /// about an `id`.
    func texts(named name: String?) -> [String] {
        guard let name else { return [] }
        let isID = name.hasSuffix("ID") || name.hasSuffix("Id")
        return textsOfMember[name] ?? (isID ? textsOfMember["id"] : nil) ?? []
    }

    /// The numbers that the state has under a name.
    func numbers(named name: String?) -> [Int] {
        name.flatMap { numbersOfMember[$0] } ?? []
    }
}

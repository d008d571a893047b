import StateCoding

/// The texts and numbers that stand in a state: the ids, names and keys that an action may be about.
struct StateWords {
    /// The texts and the numbers of the members of one name, or of the whole state.
    typealias Found = (texts: [String], numbers: [Int])

    private(set) var all: Found = ([], [])
    private var byMember: [String: Found] = [:]
    /// The members that the state has within others, and the kinds of their values: a state with one
    /// that no state had before is worth going on from.
    private(set) var features: Set<String> = []
    /// So many values of a state are looked at.
    private static let limit = 4_000

    /// None.
    init() {}

    /// The words of a state's JSON, and others besides.
    init(of json: [UInt8], and others: [String]) throws(DecodingFailure) {
        var texts = ["": Set(others)]
        var numbers: [String: Set<Int>] = [:]
        var waiting = [(member: "", value: try JSONValue(parsing: json.span))]
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
        // Sorted: in an order that is the same in every run.
        for member in Set(texts.keys).union(numbers.keys) {
            let numbers = numbers[member, default: []].sorted()
            byMember[member] = (texts[member, default: []].sorted(), numbers)
        }
        all.texts = texts.values.reduce(into: Set()) { $0.formUnion($1) }.sorted()
        all.numbers = numbers.values.reduce(into: Set()) { $0.formUnion($1) }.sorted()
    }

    /// What the state has under a name; where it has nothing, a name that ends with ID is about an
    /// `id`.
    func named(_ name: String) -> Found {
        let isID = name.hasSuffix("ID") || name.hasSuffix("Id")
        return byMember[name] ?? (isID ? byMember["id"] : nil) ?? ([], [])
    }
}

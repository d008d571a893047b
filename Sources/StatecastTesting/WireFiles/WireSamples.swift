import Redux

/// Plain actions of a type that show, among them, each case of each enum in its payload.
struct WireSamples<Action: ActionGroup> {
    private(set) var actions: [Action] = []

    /// The samples that wait to be made: the cases that each takes.
    private var waiting: [[Int]] = [[]]
    /// The cases that a sample has, or will have.
    private var met: Set<String> = []
    /// So many samples are made at most.
    private static var limit: Int { 1_000 }

    init(of kind: ActionMaker<Action>.Kind, by maker: ActionMaker<Action>) {
        var index = 0
        while index < min(waiting.count, Self.limit) {
            let source = ValueSource(sample: waiting[index])
            let action = try? maker.action(of: kind, from: source)
            if let action { actions.append(action) }
            add(source.choices, after: waiting[index].count, isMade: action != nil)
            index += 1
        }
    }

    /// Adds a sample for each case that is still to be shown where a sample has chosen another one.
    private mutating func add(_ choices: [CaseChoice], after count: Int, isMade: Bool) {
        if isMade { met.formUnion(choices.map { "\($0.name) \($0.index)" }) }
        for (place, choice) in choices.enumerated().dropFirst(count) {
            let before = choices[..<place].map(\.index)
            for index in 0..<choice.count where index != choice.index {
                // Where none can be made, any other case may be the one with which one can.
                guard !isMade || met.insert("\(choice.name) \(index)").inserted else { continue }
                waiting.append(before + [index])
            }
        }
    }
}

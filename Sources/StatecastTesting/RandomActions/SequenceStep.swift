import Redux

/// An action of a sequence: who sends it, and when.
struct SequenceStep<Action: Sendable>: Sendable {
    /// The number of its entry. It stays the same when steps before are left out, and so do the ids
    /// and the random numbers that the reducer makes.
    var number: UInt64
    var at: Timestamp
    /// Nil: the server says it.
    var by: Principal?
    var action: Action
    let seed: Seed
}

extension SequenceStep where Action: ActionGroup {
    /// The step in words: `3. alice, at 1200 ms: {"type":"sat"}`.
    func text(_ maker: ActionMaker<Action>) -> String {
        let json = (try? maker.json(of: action)).map { String(decoding: $0, as: UTF8.self) }
        let sender = by.map { $0.isAnonymous ? "an anonymous client" : $0.id } ?? "the server"
        let name = json ?? String(describing: action)
        return "\(number). \(sender), at \(at.milliseconds) ms: \(name)"
    }
}

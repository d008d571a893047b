/// The number of actions of each type that ``RandomActions`` has made, and that the reducer has
/// accepted.
package struct ActionCoverage: Sendable, Hashable {
    /// By the type on the wire: `["table/made": 812]`.
    package internal(set) var made: [String: Int] = [:]
    /// Accepted by the reducer, in the same way.
    package internal(set) var accepted: [String: Int] = [:]
    /// The number of sequences.
    package internal(set) var sequenceCount = 0
    /// The number of all actions.
    package internal(set) var stepCount = 0

    /// The types of which no action was accepted, sorted: what they do was not tried.
    package var neverAccepted: [String] {
        made.keys.filter { accepted[$0, default: 0] == 0 }.sorted()
    }

    mutating func add(_ type: String, isAccepted: Bool) {
        stepCount += 1
        made[type, default: 0] += 1
        if isAccepted { accepted[type, default: 0] += 1 }
    }
}

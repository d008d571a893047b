/// A mistake in an application's action types, found at start.
public enum ActionCoderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The case at this type path has labelled and unlabelled values.
    case mixedLabels(type: String)
    /// The case at this type path has an action group beside other values, or under a label.
    case groupBesideOthers(type: String)
    /// This type path occurs in both actions and facts.
    case inActionAndFact(type: String)

    /// A sentence that says what to change.
    public var description: String {
        switch self {
        case .mixedLabels(let type):
            "The case \(type) has labelled and unlabelled values: label all of them, or none."
        case .groupBesideOthers(let type):
            "The case \(type) has an ActionGroup that is not its only, unlabelled value."
        case .inActionAndFact(let type):
            "The type \(type) is both an action and a fact: rename one of them."
        }
    }
}

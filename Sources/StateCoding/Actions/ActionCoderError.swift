/// A mistake in an application's action types, found at start.
public enum ActionCoderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// This type conforms to `ActionGroup` and is no enum.
    case notAnEnum(name: String)
    /// The cases of this enum cannot be found out: reflection metadata is switched off.
    case noCaseNames(name: String)
    /// The case at this type path is left out of its enum's `CodingKeys`, or has a raw value that
    /// is no text.
    case notEncodable(type: String)
    /// The name of the case at this type path is empty or has a slash in it.
    case unfitName(type: String)
    /// The case at this type path has labelled and unlabelled values.
    case mixedLabels(type: String)
    /// The group in the case at this type path does not stand last and unlabelled, alone or behind
    /// labelled values.
    case misplacedGroup(type: String)
    /// The case at this type path has more than one group.
    case severalGroups(type: String)
    /// The case at this type path has a group that may be nil.
    case optionalGroup(type: String)
    /// The case at this type path is a fact's and carries a group that is no `FactGroup`.
    case groupBelowFacts(type: String)
    /// This label stands twice in the payload of the case at this type path: a case before has it.
    case sharedLabel(String, type: String)
    /// The actions have more types than can be listed.
    case tooManyTypes(limit: Int)
    /// The values of the case at this type path consist of more types than can be looked through.
    case endlessValues(type: String, limit: Int)
    /// Groups stand inside each other deeper than actions are decoded; this is the type path.
    case endlessGroups(type: String)

    /// A sentence that says what to write.
    public var description: String {
        switch self {
        case .notAnEnum(let name):
            "\(name) is an ActionGroup and no enum: write an enum with a case for each action."
        case .noCaseNames(let name):
            """
            The cases of \(name) cannot be found out: compile it with reflection metadata, or \
            write `enum CodingKeys: CodingKey, CaseIterable` with all its cases.
            """
        case .notEncodable(let type):
            """
            The case \(type) cannot be encoded: write it into its enum's CodingKeys, or leave the \
            CodingKeys out; a raw value must be a String.
            """
        case .unfitName(let type):
            "The case \(type) has a name that is empty or has a slash in it: choose another key."
        case .mixedLabels(let type):
            "The case \(type) has labelled and unlabelled values: label all of them, or none."
        case .misplacedGroup(let type):
            "The case \(type) has an ActionGroup among its values: write it last and unlabelled, "
                + "and label all others."
        case .severalGroups(let type):
            "The case \(type) has several ActionGroups: write a case for each of them."
        case .optionalGroup(let type):
            "The case \(type) has an ActionGroup that may be nil: write another case for nil."
        case .groupBelowFacts(let type):
            """
            The case \(type) is a fact and carries an ActionGroup that clients could post: make \
            that a FactGroup, or move the case out of the facts.
            """
        case .sharedLabel(let label, let type):
            """
            The label \(label) of \(type) is also one of a case before it, and both stand in one \
            payload: rename one of them.
            """
        case .endlessGroups(let type):
            "The groups at \(type) do not end: write at most 64 ActionGroups inside each other."
        case .tooManyTypes(let limit):
            """
            The actions have more than \(limit) types: carry a group in fewer cases, and tell by a \
            value what it is about.
            """
        case .endlessValues(let type, let limit):
            """
            The values of the case \(type) consist of more than \(limit) types: write none that \
            holds itself with other arguments, and fewer others.
            """
        }
    }
}

public import Redux

/// Actions of which the compiler tells nothing.
public enum UnreflectedAction: ActionGroup {
    case edited(text: String)
    case cleared
    case told(Answer<Int>)
    case row(id: String, UnreflectedRow)
    case clock(UnreflectedFact)

    enum CodingKeys: String, CodingKey, CaseIterable {
        case edited = "changed"
        case cleared, told, row, clock
    }
}

/// A group inside of them.
public enum UnreflectedRow: ActionGroup {
    case renamed(name: String)
    case saved(Bool?)

    enum CodingKeys: CodingKey, CaseIterable { case renamed, saved }
}

/// Facts of which the compiler tells nothing.
public enum UnreflectedFact: FactGroup {
    case ranOut

    enum CodingKeys: CodingKey, CaseIterable { case ranOut }
}

/// Actions whose names are found nowhere.
public enum NamelessAction: ActionGroup { case edited, cleared }

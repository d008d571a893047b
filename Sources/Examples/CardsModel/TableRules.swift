import Redux

/// The input of a table: `{"name":"Friday","seats":3,"turnSeconds":30}`.
public struct TableRules: StateValue {
    public var name: String
    public var seats: Int
    public var turnSeconds = 30

    /// Throws all that is wrong with the rules.
    func check() throws(Rejection) {
        try Rejection.check(
            Rejection.fault(ofName: name),
            (2...4).contains(seats) ? nil : .seats,
            (1...600).contains(turnSeconds) ? nil : .turnSeconds)
    }
}

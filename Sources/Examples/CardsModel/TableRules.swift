import Redux

/// The input of a table: `{"name":"Friday","seats":3,"turnSeconds":30}`.
package struct TableRules: StateValue {
    package var name: String
    package var seats: Int
    package var turnSeconds: Int

    package init(name: String, seats: Int, turnSeconds: Int = 30) {
        self.name = name
        self.seats = seats
        self.turnSeconds = turnSeconds
    }

    /// Throws all that is wrong with the rules.
    func check() throws(Rejection) {
        try Rejection.check(
            Rejection.fault(ofName: name),
            (2...4).contains(seats) ? nil : .seats,
            (1...600).contains(turnSeconds) ? nil : .turnSeconds)
    }
}

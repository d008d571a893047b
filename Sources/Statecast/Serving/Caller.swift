import Redux

/// The roles by which the server itself decides (protocol §7); access control may give others.
enum Role {
    /// Sees states, events and descriptions.
    static let observe = "observe"
    /// Sends actions; makes sessions, unless the application names another role.
    static let act = "act"
    /// Sees what happens inside: what runs, and what others did.
    static let inspect = "inspect"
    /// Lists, ends and changes sessions.
    static let admin = "admin"

    /// Those of everybody where nothing asks who clients are.
    static let ofStrangers: Set<String> = [observe, act]
    /// Those of whoever reaches a server whose operators are not asked.
    static let ofOperators: Set<String> = [observe, act, inspect, admin]
}

/// The one who sends a request that access control has let in.
struct Caller {
    /// Nil where nothing asks who clients are.
    let known: Principal?
    /// Those of a stranger do not become their principal's: entries and views know no such roles.
    let roles: Set<String>

    var principal: Principal { known ?? .anonymous }
}

public import Redux

extension Principal {
    /// The id of a person who has signed in: `Alice#3f9c21ab`. The name stands in it, so that reducers
    /// are told it.
    public static func id(named name: String, number: String) -> String { "\(name)#\(number)" }

    /// The name of the one of an id, with which they have signed in.
    public static func shownName(of id: String) -> String {
        guard let end = id.lastIndex(of: "#") else { return id }
        return String(id[..<end])
    }
}

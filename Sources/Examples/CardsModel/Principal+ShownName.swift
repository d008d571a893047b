public import Redux

extension Principal {
    /// A person who has signed in: `Alice#3f9c21ab`. The name stands in the id, so that reducers are
    /// told it.
    public init(named name: String, number: String, roles: Set<String> = []) {
        self.init("\(name)#\(number)", roles: roles)
    }

    /// The name that they have signed in with.
    public var shownName: String {
        guard let end = id.lastIndex(of: "#") else { return id }
        return String(id[..<end])
    }
}

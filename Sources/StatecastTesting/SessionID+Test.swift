import Redux

extension SessionID {
    /// The name of a session that a test store has made, where the test gives it none.
    static var test: SessionID {
        guard let id = SessionID("test") else {
            preconditionFailure("Four letters are a session's name.")
        }
        return id
    }
}

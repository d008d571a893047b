extension Store {
    /// Switches the middleware of a name on or off; false where none has it.
    ///
    /// What an interceptor has put off before goes on all the same.
    @discardableResult
    public func switchMiddleware(_ name: String, isEnabled: Bool) -> Bool {
        let indices = middleware.indices.filter { middleware[$0].name == name }
        for index in indices { middleware[index].isEnabled = isEnabled }
        return !indices.isEmpty
    }
}

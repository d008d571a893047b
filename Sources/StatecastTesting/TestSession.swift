import StateCoding
public import Statecast
public import Testing

/// A session on a server, as a client of the application's own types sees it.
///
///     try await TestServer.run(serving: { Served("/counter", CounterApplication()) }) { server in
///         let session = try server.session(of: CounterApplication.self, at: "/counter")
///         let watcher = try session.watch()
///         try session.send(.incremented(by: 2))
///         #expect(try session.state().count == 2)
///         #expect(try watcher.first { $0.count > 0 }.count == 2)
///         try session.send(.incremented(by: 0), rejectedAs: "nothing-to-add")
///     }
///
/// A method that fails throws a `TestFailure`, with the server's answer in it.
public struct TestSession<App: Application>: Sendable {
    /// The server of the session.
    public let server: TestServer
    /// The path of the session: `/counter/sessions/test`.
    public let path: String
    private let coder: ActionCoder<App.Action>

    init(_ server: TestServer, path: String) throws {
        self.server = server
        self.path = path
        coder = try ActionCoder()
    }

    /// Posts an action, which is to be accepted.
    ///
    /// - Parameter duration: the longest time to wait until the effects that it started have ended.
    @discardableResult
    public func send(
        _ action: App.Action, settling duration: Duration? = nil
    ) throws -> TestAnswer {
        try expectSuccess("POST of \(action)", post([action], isBatch: false, duration))
    }

    /// Posts several actions, all of which are to be accepted, or none.
    @discardableResult
    public func send(
        batch actions: [App.Action], settling duration: Duration? = nil
    ) throws -> TestAnswer {
        try expectSuccess("POST of \(actions.count)", post(actions, isBatch: true, duration))
    }

    /// Posts an action that the application is to reject; records an issue where it does not.
    public func send(
        _ action: App.Action, rejectedAs code: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let answer = try post([action], isBatch: false, nil)
        guard answer.problem != code else { return }
        Issue.record(
            """
            \(action) was to be rejected as "\(code)", and was answered with \(answer.status): \
            \(answer.body)
            """, sourceLocation: sourceLocation)
    }

    /// Reads the present state.
    public func state() throws -> App.State {
        let answer = try expectSuccess("GET of the state", server.send("GET", path + "/state"))
        return try answer.decoded()
    }

    /// Reads a view of the present state: one of `Application.views`.
    ///
    /// - Parameter query: its arguments, encoded: `&id=episode:7`.
    public func view<Value: Decodable>(
        _ name: String, query: String = "", as type: Value.Type = Value.self
    ) throws -> Value {
        let target = path + "/state?view=\(name)\(query)"
        return try expectSuccess("GET of \(name)", server.send("GET", target)).decoded()
    }

    /// Opens a stream of the states, the present one first.
    public func watch() throws -> TestWatcher<App.State> {
        TestWatcher(try server.events(path))
    }

    /// Opens a stream of a part of the states.
    ///
    /// - Parameter pointer: the place of the part (RFC 6901): `/home/searchText`.
    public func watch<Value: Decodable>(
        select pointer: String, as type: Value.Type = Value.self
    ) throws -> TestWatcher<Value> {
        TestWatcher(try server.events(path, query: "?select=\(pointer)"))
    }

    /// Opens a stream of a view.
    public func watch<Value: Decodable>(
        view name: String, query: String = "", as type: Value.Type = Value.self
    ) throws -> TestWatcher<Value> {
        TestWatcher(try server.events(path, query: "?view=\(name)\(query)"))
    }

    /// Ends the session for everybody.
    public func end() throws {
        try expectSuccess("DELETE", server.send("DELETE", path))
    }

    private func post(
        _ actions: [App.Action], isBatch: Bool, _ duration: Duration?
    ) throws -> TestAnswer {
        var body: [UInt8] = []
        for action in actions {
            if !body.isEmpty { body.append(UInt8(ascii: ",")) }
            try coder.encode(action, into: &body)
        }
        let text = String(decoding: body, as: UTF8.self)
        let seconds = duration.map { Int(($0 / .seconds(1)).rounded(.up)) }
        return try server.post(
            path, isBatch ? "[\(text)]" : text, query: seconds.map { "?settle=\($0)" } ?? "")
    }

    @discardableResult
    private func expectSuccess(_ request: String, _ answer: TestAnswer) throws -> TestAnswer {
        guard answer.isSuccess else { throw TestFailure.refused(request: request, answer) }
        return answer
    }
}

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
/// The methods take the fields of their requests, which say who sends them where access control
/// wants to know: `["Authorization": "Bearer alice"]`.
///
/// A method that fails throws a `TestFailure`, with the server's answer in it.
public struct TestSession<App: Application>: Sendable {
    /// The server of the session.
    package let server: TestServer
    /// The path of the session: `/counter/sessions/test`.
    public let path: String
    private let coder: ActionCoder<App.Action>

    /// The session of a path, whoever has made it: `/auctions/sessions/6f0c…`.
    ///
    /// Throws where the application's actions cannot be told apart on the wire.
    public init(of application: App.Type = App.self, on server: TestServer, at path: String) throws
    {
        self.server = server
        self.path = path
        coder = try ActionCoder()
    }

    /// Posts an action, which is to be accepted.
    ///
    /// - Parameter duration: the longest time to wait until the effects that it started have ended.
    @discardableResult
    public func send(
        _ action: App.Action, settling duration: Duration? = nil, fields: [String: String] = [:]
    ) throws -> TestAnswer {
        try expectSuccess("POST of \(action)", post([action], isBatch: false, duration, fields))
    }

    /// Posts several actions, all of which are to be accepted, or none.
    @discardableResult
    public func send(
        batch actions: [App.Action], settling duration: Duration? = nil,
        fields: [String: String] = [:]
    ) throws -> TestAnswer {
        try expectSuccess(
            "POST of \(actions.count)", post(actions, isBatch: true, duration, fields))
    }

    /// Posts an action that the application is to reject; records an issue where it does not.
    public func send(
        _ action: App.Action, rejectedAs code: String, fields: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let answer = try post([action], isBatch: false, nil, fields)
        guard answer.problem != code else { return }
        fail(
            """
            \(action) was to be rejected as "\(code)", and was answered with \(answer.status): \
            \(answer.body)
            """, sourceLocation)
    }

    /// Reads the present state, of an application whose clients see it as it is.
    public func state(fields: [String: String] = [:]) throws -> App.State {
        try state(as: App.State.self, fields: fields)
    }

    /// Reads what a client sees in place of the state.
    public func state<Value: Decodable>(
        as type: Value.Type, fields: [String: String] = [:]
    ) throws -> Value {
        try get("the state", "", fields)
    }

    /// Reads a view of the present state: one of `Application.views`.
    ///
    /// - Parameter query: its arguments, encoded: `&id=episode:7`.
    public func view<Value: Decodable>(
        _ name: String, query: String = "", as type: Value.Type = Value.self,
        fields: [String: String] = [:]
    ) throws -> Value {
        try get(name, "?view=\(name)\(query)", fields)
    }

    /// Opens a stream of the states, the present one first.
    public func watch(fields: [String: String] = [:]) throws -> TestWatcher<App.State> {
        try watch(as: App.State.self, fields: fields)
    }

    /// Opens a stream of what a client sees in place of the states.
    public func watch<Value: Decodable>(
        as type: Value.Type, fields: [String: String] = [:]
    ) throws -> TestWatcher<Value> {
        TestWatcher(try server.events(path, fields: fields))
    }

    /// Opens a stream of a part of what a client sees.
    ///
    /// - Parameter pointer: the place of the part (RFC 6901): `/home/searchText`.
    public func watch<Value: Decodable>(
        select pointer: String, as type: Value.Type = Value.self, fields: [String: String] = [:]
    ) throws -> TestWatcher<Value> {
        TestWatcher(try server.events(path, query: "?select=\(pointer)", fields: fields))
    }

    /// Opens a stream of a view.
    public func watch<Value: Decodable>(
        view name: String, query: String = "", as type: Value.Type = Value.self,
        fields: [String: String] = [:]
    ) throws -> TestWatcher<Value> {
        TestWatcher(try server.events(path, query: "?view=\(name)\(query)", fields: fields))
    }

    /// What the session has done so far, where its application keeps a history.
    public func recording(
        of application: App, fields: [String: String] = [:]
    ) throws -> Recording<App> {
        let answer = try server.send("GET", "\(path)/recording", fields: fields)
        return try Recording(of: application, expectSuccess("GET of the recording", answer).body)
    }

    /// Ends the session for everybody.
    public func end(fields: [String: String] = [:]) throws {
        try expectSuccess("DELETE", server.send("DELETE", path, fields: fields))
    }

    private func get<Value: Decodable>(
        _ name: String, _ query: String, _ fields: [String: String]
    ) throws -> Value {
        let answer = try server.send("GET", "\(path)/state\(query)", fields: fields)
        return try expectSuccess("GET of \(name)", answer).decoded()
    }

    private func post(
        _ actions: [App.Action], isBatch: Bool, _ duration: Duration?, _ fields: [String: String]
    ) throws -> TestAnswer {
        var body: [UInt8] = []
        for action in actions {
            if !body.isEmpty { body.append(UInt8(ascii: ",")) }
            try coder.encode(action, into: &body)
        }
        let text = String(decoding: body, as: UTF8.self)
        let seconds = duration.map { Int(($0 / .seconds(1)).rounded(.up)) }
        return try server.post(
            path, isBatch ? "[\(text)]" : text, query: seconds.map { "?settle=\($0)" } ?? "",
            fields: fields)
    }

    @discardableResult
    private func expectSuccess(_ request: String, _ answer: TestAnswer) throws -> TestAnswer {
        guard answer.isSuccess else { throw TestFailure.refused(request: request, answer) }
        return answer
    }
}

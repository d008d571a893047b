import ClientWire
import Logging
package import Sockets
import StateCoding
public import Statecast

/// A server on a free port of this machine, for tests: `try await TestServer.run { … } body: { … }`.
///
///     try await TestServer.run(serving: { Served("/counter", CounterApplication()) }) { server in
///         try server.create("/counter/sessions/demo")
///         let answer = try server.dispatch("/counter/sessions/demo", "incremented", #"{"by":2}"#)
///         #expect(answer.status == 200)
///     }
public struct TestServer: Sendable {
    /// The port that the server listens on.
    public let port: Int
    /// The sessions of the server, as its own code uses them.
    public let sessions: Sessions
    private let server: Server?

    /// The client side of a server that is started and ended elsewhere.
    package init(_ server: Server) {
        self.server = server
        port = server.port
        sessions = server.sessions
    }

    /// The client side of a server that listens on this port.
    package init(port: Int) {
        self.port = port
        sessions = Sessions()
        server = nil
    }

    /// Lets time pass at once on the server's loops: sessions fall asleep, and lifetimes end.
    package func advance(by duration: Duration) async { await server?.http.advance(by: duration) }

    /// Opens a connection, to send and receive its bytes.
    package func connect() throws(SystemError) -> BlockingConnection {
        try BlockingConnection(port: port)
    }

    /// Runs code that may block, on threads of its own.
    package static func runBlocking<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withTaskExecutorPreference(BlockingExecutor.shared) { try await body() }
    }

    /// Serves applications while `body` runs, then shuts down. `body` has a thread of its own, so
    /// that it may block while effects run in Swift's pool.
    public static func run<Result: Sendable>(
        _ configuration: ServerConfiguration = TestServer.configuration,
        @ServerBuilder serving parts: () -> [ServerPart],
        body: @Sendable (TestServer) async throws -> Result
    ) async throws -> Result {
        let server = try Server(configuration, parts)
        try await server.start { _ in }
        do {
            let result = try await runBlocking { try await body(TestServer(server)) }
            await server.shutDown()
            return result
        } catch {
            await server.shutDown()
            throw error
        }
    }

    /// A free port, no pages, nothing logged but errors, a short drain. Where nothing asks who clients
    /// are, a test is its server's operator (`operators = .loopback`): it reads logs and ends sessions.
    public static var configuration: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.operators = .loopback
        configuration.drainDuration = .milliseconds(200)
        configuration.logger.logLevel = .error
        if let makeJournal = TestJournal.make { configuration.journal = makeJournal() }
        return configuration
    }

    /// Makes a session of an application that is served at a path, or finds the one that is there.
    ///
    ///     let mine = try server.session(of: Auction.self, at: "/auctions", named: nil, input: lot)
    ///
    /// - Parameters:
    ///   - name: its name, by PUT; nil: the server names it, by POST.
    ///   - input: the session's input, of which the application makes its first state.
    ///   - fields: say who asks for it, where access control wants to know.
    public func session<App: Application>(
        of application: App.Type, at mount: String, named name: String? = "test",
        input: @autoclosure () -> App.Input? = nil, fields: [String: String] = [:]
    ) throws -> TestSession<App> {
        let sessions = (mount == "/" ? "" : mount) + "/sessions"
        let (method, path) = name.map { ("PUT", "\(sessions)/\($0)") } ?? ("POST", sessions)
        let body = try input().map { try StateEncoder().bytes(of: $0) }
        let request = ClientRequest.making(path, by: method, input: body, fields: fields)
        let answer = try open(request).answer()
        guard answer.isSuccess else {
            throw TestFailure.refused(request: "\(method) \(path)", answer)
        }
        return try TestSession(on: self, at: answer.fields["location"] ?? path)
    }

    /// A session that the server's own code has made or found, as its clients see it.
    public func session<App: Application>(
        _ handle: SessionHandle<App>
    ) throws -> TestSession<App> {
        try TestSession(on: self, at: handle.path)
    }
}

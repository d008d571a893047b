import Counter
import CounterModel
import StatecastTesting

@testable import Statecast

/// The session `demo` on a server of its own: what most tests ask.
struct Demo: Sendable {
    let server: TestServer
    let path: String

    /// Serves the counter while `body` runs.
    static func counter(
        changing change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: @Sendable (Demo) async throws -> Void
    ) async throws {
        try await serve(Served("/counter", CounterApplication()), changing: change, body)
    }

    /// Serves notes while `body` runs.
    static func notes(
        _ application: NotesApplication = NotesApplication(),
        changing change: (inout ServerConfiguration) -> Void = { _ in }, isNew: Bool = true,
        _ body: @Sendable (Demo) async throws -> Void
    ) async throws {
        try await serve(application.served(at: "/notes"), changing: change, isNew: isNew, body)
    }

    /// Serves an application while `body` runs; its session is made before, if it `isNew`.
    static func serve(
        _ served: Served, changing change: (inout ServerConfiguration) -> Void = { _ in },
        isNew: Bool = true, _ body: @Sendable (Demo) async throws -> Void
    ) async throws {
        try await TestServer.run(
            changing: change, serving: { served }
        ) { server in
            let demo = Demo(server: server, path: "\(served.path)/sessions/demo")
            if isNew { try server.create(demo.path) }
            try await body(demo)
        }
    }

    func get(
        _ part: String = "", fields: [String: String] = [:]
    ) throws -> TestAnswer {
        try server.send("GET", path + part, fields: fields)
    }

    func delete() throws -> TestAnswer { try server.send("DELETE", path) }

    /// Sends a GET without waiting for its answer.
    func open(_ part: String, fields: [String: String] = [:]) throws -> TestRequest {
        try server.open("GET", path + part, fields: fields)
    }

    @discardableResult
    func dispatch(
        _ type: String, _ payload: String? = nil, query: String = "",
        fields: [String: String] = [:]
    ) throws -> TestAnswer {
        try server.dispatch(path, type, payload, query: query, fields: fields)
    }

    @discardableResult
    func increment(
        by count: Int = 1, query: String = "", fields: [String: String] = [:]
    ) throws -> TestAnswer {
        try dispatch("incremented", "{\"by\":\(count)}", query: query, fields: fields)
    }

    @discardableResult
    func post(
        _ body: String, query: String = "", fields: [String: String] = [:]
    ) throws -> TestAnswer {
        try server.post(path, body, query: query, fields: fields)
    }

    func openPost(
        _ body: String, query: String = "", fields: [String: String] = [:]
    ) throws -> TestRequest {
        try server.openPost(path, body, query: query, fields: fields)
    }

    func events(_ query: String = "", fields: [String: String] = [:]) throws -> TestEvents {
        try server.events(path, query: query, fields: fields)
    }
}

import Counter
import CounterModel
import Foundation
import Sockets
@testable import Statecast
import StatecastTesting
import Testing

@Suite(.serialized, .onBothJournals) struct `Pages` {
    @Test(arguments: [1, 3])
    func `are served by every loop from the directory that the server was made with`(
        loopCount: Int
    ) async throws {
        let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let moved = place.appendingPathExtension("moved")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: moved) }
        try Data("a page".utf8).write(to: place.appending(path: "page.txt"))
        var configuration = MemoryServer.configuration
        configuration.loopCount = loopCount
        configuration.publicDirectory = place.path
        let server = try Server(configuration) { Served("/counter", CounterApplication()) }
        // A loop that opened it by its name would find nothing any more.
        try FileManager.default.moveItem(at: place, to: moved)
        try server.start()
        let client = TestServer(server)
        for _ in 0..<8 {
            let answer = try client.send("GET", "/page.txt")
            #expect(answer.status == 200)
            #expect(answer.body == "a page")
        }
        await server.shutDown()
    }

    @Test(arguments: [false, true])
    func `are open to whoever has an old cookie, unless the server says otherwise`(
        isAsking: Bool
    ) async throws {
        let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        try Data("Sign in".utf8).write(to: place.appending(path: "index.html"))
        var configuration = TestServer.configuration
        configuration.publicDirectory = place.path
        configuration.authorize = { _ in .unauthenticated }
        configuration.authorizesPages = isAsking
        try await MemoryServer.run(
            configuration, serving: { Served("/counter", CounterApplication()) }
        ) { server in
            let old = ["Cookie": "person=0123456789abcdef0123456789abcdef"]
            let page = try server.send("GET", "/", fields: old)
            #expect(page.status == (isAsking ? 401 : 200))
            for path in ["/inspect/", "/metrics", "/counter/sessions/demo/state"] {
                #expect(try server.send("GET", path, fields: old).status == 401, "\(path)")
            }
        }
    }

    @Test func `below /inspect are for those who may inspect`() async throws {
        let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let inspected = place.appending(path: "inspect")
        try FileManager.default.createDirectory(at: inspected, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        try Data("a page".utf8).write(to: inspected.appending(path: "page.txt"))
        try Data("a page".utf8).write(to: place.appending(path: "inspection.txt"))
        var configuration = TestServer.configuration
        configuration.publicDirectory = place.path
        // On loopback, where nothing asks, everybody may.
        try await MemoryServer.run(
            configuration, serving: { Served("/counter", CounterApplication()) }
        ) {
            server in
            let answer = try server.send("GET", "/inspect/page.txt")
            #expect(answer.status == 200)
        }
        configuration.authorize = { request in
            let name = request.authorization?.split(separator: " ").last.map(String.init)
            return .granted(Principal(name ?? "", roles: name == "eve" ? ["inspect"] : ["admin"]))
        }
        try await MemoryServer.run(
            configuration, serving: { Served("/counter", CounterApplication()) }
        ) {
            server in
            for path in [
                "/inspect/page.txt", "/%69nspect/page.txt", "/inspect", "/inspect/", "/inspect/x",
            ] {
                let answer = try server.send("GET", path)
                #expect(answer.status == 403 && answer.problem == "forbidden", "\(path)")
            }
            let eve = ["Authorization": "Bearer eve"]
            #expect(try server.send("GET", "/inspect/page.txt", fields: eve).status == 200)
            #expect(try server.send("GET", "/%69nspect/page.txt", fields: eve).status == 200)
            #expect(try server.send("GET", "/inspection.txt").status == 200)
        }
    }

    @Test func `are refused at once where there is no such directory`() {
        var configuration = MemoryServer.configuration
        configuration.publicDirectory = "/nowhere/at/all"
        #expect(throws: ServerError.self) {
            _ = try Server(configuration) { Served("/counter", CounterApplication()) }
        }
    }
}

import Counter
import CounterModel
import Foundation
import Sockets
@testable import Statecast
import StatecastTesting
import TemporaryFolder
import Testing

@Suite(.serialized, .onBothJournals) struct `Pages` {
    @Test(arguments: [1, 3])
    func `are served by every loop from the directory that the server was made with`(
        loopCount: Int
    ) async throws {
        let place = try TemporaryFolder(["pages/page.txt": "a page"])
        let (pages, moved) = ("\(place.path)/pages", "\(place.path)/moved")
        var configuration = TestServer.configuration
        configuration.loopCount = loopCount
        configuration.publicDirectory = pages
        let server = try Server(configuration) { Served("/counter", CounterApplication()) }
        // A loop that opened it by its name would find nothing any more.
        try FileManager.default.moveItem(atPath: pages, toPath: moved)
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
        let place = try TemporaryFolder(["index.html": "Sign in"])
        var configuration = TestServer.configuration
        configuration.publicDirectory = place.path
        configuration.authorize = { _ in .unauthenticated }
        configuration.authorizesPages = isAsking
        try await TestServer.run(
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
        let place = try TemporaryFolder([
            "inspect/page.txt": "a page", "inspection.txt": "a page",
        ])
        var configuration = TestServer.configuration
        configuration.publicDirectory = place.path
        // On loopback, where nothing asks, everybody may.
        try await TestServer.run(
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
        try await TestServer.run(
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

    /// The files that are compiled in, below the folder of their target.
    private static let root = URL(filePath: #filePath).appending(path: "../../../Sources/CPages")
        .standardized

    @Test func `of the library are those of its sources, in every server`() async throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: Self.root.path)
            .filter { $0.contains("/") && $0.contains(".") && !$0.hasSuffix(".h") }
        #expect(paths.count > 35)
        try await TestServer.run(
            serving: {
                Served("/counter", CounterApplication())
                Route(.get, "/{a}/{b}") { _ in RouteResponse(.ok) }
                Route(.get, "/{a}/{b}/{c}") { _ in RouteResponse(.ok) }
            }
        ) { server in
            for path in paths {
                let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
                let answer = try server.send("GET", "/\(path)")
                #expect(answer.status == 200 && answer.body == text, "\(path)")
                #expect(answer.fields["last-modified"] == nil)
                #expect(answer.fields["content-security-policy"]?.hasPrefix("default-src") == true)
                let tag = try #require(answer.fields["etag"])
                let same = try server.send("GET", "/\(path)", fields: ["If-None-Match": tag])
                #expect(same.status == 304 && same.body.isEmpty)
                let part = try server.send("GET", "/\(path)", fields: ["Range": "bytes=0-1"])
                #expect(part.status == 200)
            }
            let types = ["js": "text/javascript", "d.ts": "text/plain"]
            for (end, type) in types {
                let answer = try server.send(
                    "HEAD", "/client/statecast.\(end)", fields: ["Accept-Encoding": "gzip"])
                #expect(answer.fields["content-type"] == "\(type); charset=utf-8")
                #expect(answer.fields["content-encoding"] == "gzip")
                #expect(answer.fields["etag"]?.hasPrefix("W/") == true)
            }
            let folder = try server.send("GET", "/inspect/timeline?session=/a")
            #expect(folder.status == 301)
            #expect(folder.fields["location"] == "/inspect/timeline/?session=/a")
            #expect(try server.send("GET", "/inspect/timeline/").body.contains("<html"))
            for path in ["/client", "/client/", "/client/statecast.js/", "/client/x.js", "/", "/x"]
            {
                #expect(try server.send("GET", path).problem == "not-found", "\(path)")
            }
        }
    }

    @Test func `of one's own go before those of the library`() async throws {
        let place = try TemporaryFolder(["client/statecast.js": "own"])
        try await TestServer.run(
            changing: { $0.publicDirectory = place.path },
            serving: { Served("/counter", CounterApplication()) }
        ) { server async throws in
            #expect(try server.send("GET", "/client/statecast.js").body == "own")
            #expect(try server.send("GET", "/client/patch.js").body.contains("applyPatch"))
        }
    }

    @Test func `are refused at once where there is no such directory`() {
        var configuration = TestServer.configuration
        configuration.publicDirectory = "/nowhere/at/all"
        #expect(throws: ServerError.self) {
            _ = try Server(configuration) { Served("/counter", CounterApplication()) }
        }
    }
}

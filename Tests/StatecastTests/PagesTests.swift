import Counter
import CounterModel
import Foundation
import Sockets
@testable import Statecast
import StatecastTesting
import Testing

@Suite(.serialized) struct `Pages` {
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

    @Test func `are refused at once where there is no such directory`() {
        var configuration = MemoryServer.configuration
        configuration.publicDirectory = "/nowhere/at/all"
        #expect(throws: ServerError.self) {
            _ = try Server(configuration) { Served("/counter", CounterApplication()) }
        }
    }
}

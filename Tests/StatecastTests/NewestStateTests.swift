import Sockets
import Statecast
import StatecastTesting
import Testing

/// States above the bound of what waits in a stream (`watcher-bytes`), so that each skips.
@Suite(.serialized, .onBothJournals) struct `A large state` {
    private static let session = "/notes/sessions/demo"

    @Test(arguments: [true, false])
    func `that changes twice in a turn reaches every watcher as it is then`(
        usesIOUring: Bool
    ) async throws {
        try await Demo.notes(changing: { $0.usesIOUring = usesIOUring }) { demo in
            try demo.dispatch("filled", "{\"bytes\":70000}")
            let watchers = try (0..<6).map { _ in try demo.events() }
            for watcher in watchers { _ = try watcher.next() }
            for round in 1...3 {
                let version = try Self.changeTwice(round, demo.server)
                for watcher in watchers {
                    let newest = try watcher.next { $0.id == version }
                    #expect(newest?.data.contains("\"text\":\"second \(round)\"") == true)
                }
            }
        }
    }

    /// Sends two actions in one packet; the id of the version that they lead to.
    private static func changeTwice(_ round: Int, _ server: TestServer) throws -> String {
        let connection = try server.connect()
        let requests = ["first", "second"].map { word in
            let body = "{\"type\":\"opened\",\"payload\":{\"text\":\"\(word) \(round)\"}}"
            return "POST \(session)/actions HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                + body
        }
        try connection.send(requests.joined())
        let answers = try connection.receive { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            return text.ranges(of: "HTTP/1.1 200").count == 2 && text.hasSuffix("}")
        }
        let last = String(decoding: answers, as: UTF8.self).split(separator: "\"token\":\"").last
        return String(try #require(last?.split(separator: "\"").first))
    }
}

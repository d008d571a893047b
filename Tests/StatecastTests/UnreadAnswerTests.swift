import Sockets
import Statecast
import StatecastTesting
import Testing

/// Clients that ask for a state of 8 MB and then do not read it: the kernel takes a part of each
/// answer, the rest waits in the server.
@Suite(.serialized) struct `Unread answers` {
    private static let session = "/notes/sessions/demo"
    private static let stateByteCount = 8_000_000
    private static let clientCount = 20

    /// How the state is asked for.
    enum Kind: String, CaseIterable {
        case poll, heldPoll, representation, plainStream, chunkedStream, compressed
    }

    @Test(arguments: Kind.allCases.map { ($0, 1) } + [(.poll, 2), (.chunkedStream, 2)])
    func `of one state share its bytes`(kind: Kind, loopCount: Int) async throws {
        let growth = try await TestServer.run(
            changing: { $0.loopCount = loopCount },
            serving: { NotesApplication().served(at: "/notes") }
        ) { server in
            try Self.fill(server, isNoise: kind == .compressed)
            let tag = try #require(try server.send("HEAD", "\(Self.session)/state").etag)
            let first = try Self.ask(kind, tag, server)
            // What the state's bytes are made of is no longer needed once they are sent.
            if kind != .heldPoll { #expect(try first.receive(limit: 16) == Self.statusLine) }
            let before = try ResidentMemory.byteCount()
            let clients = try (0..<Self.clientCount).map { _ in
                try Self.ask(kind, tag, server)
            }
            if kind == .heldPoll {
                try server.dispatch(Self.session, "opened", "{\"text\":\"now\"}")
            }
            for client in kind == .heldPoll ? [first] + clients : clients {
                #expect(try client.receive(limit: 16) == Self.statusLine)
            }
            let after = try ResidentMemory.byteCount()
            withExtendedLifetime((first, clients)) {}
            return after - before
        }
        // The kernel takes half of an answer: of copies, ten would be left.
        #expect(growth < 3 * Self.stateByteCount)
    }

    private static let statusLine = Array("HTTP/1.1 200 OK\r".utf8)

    private static func fill(_ server: TestServer, isNoise: Bool) throws {
        try server.create(session)
        guard isNoise else {
            try server.dispatch(session, "filled", "{\"bytes\":\(stateByteCount)}")
            return
        }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<8 {
            let noise = (0..<80_000).map { _ in
                String(UInt64.random(in: .min ... .max, using: &generator), radix: 36)
            }
            try server.dispatch(session, "added", "\"\(noise.joined().prefix(1_000_000))\"")
        }
    }

    private static func ask(
        _ kind: Kind, _ tag: String, _ server: TestServer
    ) throws -> BlockingConnection {
        let client = try server.connect()
        try client.limitReceiveBuffer(to: 4096)
        try client.send(request(kind, tag, server))
        return client
    }

    private static func request(_ kind: Kind, _ tag: String, _ server: TestServer) -> String {
        let body = "{\"type\":\"closed\"}"
        let line =
            switch kind {
            case .poll, .compressed: "GET \(session)/state HTTP/1.1"
            case .heldPoll: "GET \(session)/state?wait=60 HTTP/1.1"
            case .representation: "POST \(session)/actions HTTP/1.1"
            case .plainStream: "GET \(session)/events HTTP/1.0"
            case .chunkedStream: "GET \(session)/events HTTP/1.1"
            }
        let fields =
            switch kind {
            case .heldPoll: "If-None-Match: \"\(tag)\"\r\n"
            case .compressed: "Accept-Encoding: gzip\r\n"
            case .representation:
                "Content-Type: application/json\r\nPrefer: return=representation\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n"
            case .poll, .plainStream, .chunkedStream: ""
            }
        let content = kind == .representation ? body : ""
        return "\(line)\r\nHost: 127.0.0.1:\(server.port)\r\n\(fields)\r\n\(content)"
    }
}

import Bytes
import HTTPMessages
import Testing

@testable import HTTPServer

@Suite struct `What is under way to other servers` {
    private let connections = PeerConnections(
        { _ in true }, greeted: { _, _, _ in nil }, sign: { message, _ in message })

    private func enter(_ item: Accounts.Item, of client: Accounts.Client) -> Bool {
        connections.enter(item, 1, of: client, share: 0.25)
    }

    @Test func `is a share of one client's, and of its polls none that others need`() {
        for _ in 0..<256 { #expect(enter(.routes, of: 1)) }
        #expect(!enter(.routes, of: 1))
        #expect(enter(.streams, of: 1))
        #expect(enter(.routes, of: 2))
        connections.leave(.routes, 1, of: 1)
        #expect(enter(.routes, of: 1))
        #expect(connections.streamCount == 1)
        // What a handle waits for is not passed on.
        #expect(enter(.streams, of: 0))
        #expect(connections.streamCount == 1)
    }

    @Test func `is bounded with what has come of answers`() {
        #expect(connections.hold(64 << 20))
        #expect(!enter(.routes, of: 1))
        #expect(!connections.hold(1))
        #expect(connections.hold(0))
    }

    /// The server may say behind its answer that it takes nothing more.
    @Test(arguments: [false, true])
    func `has its answer, whatever follows`(goes: Bool) throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        let end = "HTTP/1.1 421 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        var (read, body) = (PeerAnswer(toHead: false), [UInt8]())
        try read.read(Array((answer + (goes ? end : "")).utf8), to: &body)
        #expect(read.head?.status == 200 && body == Array("ok".utf8))
        #expect(read.isWhole && read.isReusable == !goes)
    }

    /// However the answer comes, nobody has asked for another one.
    @Test(arguments: ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0", "x"])
    func `is no answer where another one follows`(more: String) throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        for cut in [0, answer.utf8.count - 1] {
            var (read, body) = (PeerAnswer(toHead: false), [UInt8]())
            let bytes = Array((answer + more).utf8)
            #expect(throws: ResponseError.self) {
                try read.read(Array(bytes[..<cut]), to: &body)
                try read.read(Array(bytes[cut...]), to: &body)
            }
            #expect(!read.isReusable)
        }
    }
}

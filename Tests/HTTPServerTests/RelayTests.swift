import Accounting
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
    }

    @Test func `is bounded with what has come of answers`() {
        #expect(connections.hold(64 << 20))
        #expect(!enter(.routes, of: 1))
        #expect(!connections.hold(1))
        #expect(connections.hold(0))
    }
}

import Bytes
import Testing

@Suite struct `The accounts of clients` {
    @Test func `give each a share of a limit, and all no more than that`() {
        var accounts = Accounts()
        func take(_ count: Int = 1, of client: Accounts.Client) -> Bool {
            let hasRoom = accounts.hasRoom(for: count, .keys, of: client, limit: 100, share: 0.25)
            if hasRoom { accounts.add(count, .keys, of: client) }
            return hasRoom
        }
        #expect((0..<100).count { _ in take(of: 1) } == 25)
        #expect(take(25, of: 2) && !take(of: 2) && take(of: 3))
        // Nobody has no share.
        #expect(!take(50, of: 0) && take(49, of: 0) && !take(of: 4))
        accounts.add(-1, .keys, of: 1)
        #expect(take(of: 1) && accounts[.keys, 1] == 25 && accounts.total(.keys) == 100)
        #expect(accounts[.bytes, 1] == 0 && accounts.hasRoom(.bytes, of: 1, limit: 1, share: 0))
    }

    @Test(
        arguments: [
            (0.25, 1_000, 250), (0, 1_000, 16), (0, 3, 3), (1, 10, 10), (9, 10, 10),
            (1, .max, .max), (1.0.nextDown, .max, .max - 1_023), (-.infinity, .max, 16),
        ] as [(Double, Int, Int)])
    func `let everybody have a few, however small the share`(share: Double, limit: Int, most: Int) {
        #expect(Accounts.share(share, of: limit) == most)
    }

    @Test func `are forgotten when they are empty, and tell who has most`() {
        var accounts = Accounts()
        for client in 1...10 as ClosedRange<UInt16> {
            accounts.add(Int(client), .bytes, of: client)
            accounts.add(100, .keys, of: client)
        }
        #expect(accounts.count == 20 && accounts.clients(above: 8, .bytes) == [9, 10])
        #expect(accounts.first(in: .bytes) == 10 && accounts.first(in: .streams) == nil)
        for client in 1...10 as ClosedRange<UInt16> {
            accounts.add(-Int(client), .bytes, of: client)
            accounts.add(-100, .keys, of: client)
        }
        #expect(accounts.count == 0 && accounts.total(.bytes) == 0)
    }
}

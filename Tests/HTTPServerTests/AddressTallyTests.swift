@testable import HTTPServer
import Sockets
import Testing

@Suite struct AddressTallyTests {
    private let here = IPAddress(v4: 0x7F00_0001)
    private let there = IPAddress(v4: 0x0A00_0001)

    @Test func `an address is bounded, others are not touched`() {
        let tally = AddressTally(totalLimit: 10, addressLimit: 2)
        let entered = [here, here, here, there].map { tally.enter($0) }
        #expect(entered == [true, true, false, true])
        #expect(tally.total == 3)
        _ = tally.leave(here)
        let again = tally.enter(here)
        #expect(again)
    }

    @Test func `other servers count in all alone`() {
        let tally = AddressTally(totalLimit: 3, addressLimit: 1)
        #expect([nil, nil, here].map { tally.enter($0) } == [true, true, true])
        #expect(!tally.hasRoom)
        #expect(tally.leave(nil))
    }

    @Test func `addresses of one IPv6 network count together`() {
        let tally = AddressTally(totalLimit: 10, addressLimit: 2)
        let entered = [(1, 1), (1, 2), (1, 3), (2, 1)].map {
            tally.enter(IPAddress(high: 0x2001_0DB8_0000_0000 + $0.0, low: $0.1))
        }
        #expect(entered == [true, true, false, true])
        _ = tally.leave(IPAddress(high: 0x2001_0DB8_0000_0001, low: 2))
        let again = tally.enter(IPAddress(high: 0x2001_0DB8_0000_0001, low: 9))
        #expect(again)
    }

    @Test func `leaving tells when it makes room`() {
        let tally = AddressTally(totalLimit: 2, addressLimit: 10)
        _ = tally.enter(here)
        let early = tally.leave(here)
        #expect(!early)
        _ = tally.enter(here)
        _ = tally.enter(there)
        #expect(!tally.hasRoom)
        let late = tally.leave(there)
        #expect(late)
        #expect(tally.hasRoom)
    }
}

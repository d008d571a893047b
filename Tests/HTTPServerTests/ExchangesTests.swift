@testable import HTTPServer
import Sockets
import Testing

@Suite struct ExchangesTests {
    @Test func `the end of a stream follows what was written before it`() {
        let now = Instant(nanoseconds: 0)
        var machine = ConnectionMachine(now: now)
        _ = machine.requestBegan([], isDraining: false)
        machine.streamBegan(isCompressed: false, until: now)
        var exchanges = Exchanges(machine)
        let output = TurnOutput(leastCount: nil)
        let key = ConnectionKey(identity: 1, slot: 0)
        output.begin(for: key)
        let head: [UInt8] = [1, 2, 3]
        exchanges.write(head.span, key, output)
        #expect(exchanges.byteCount == 0)
        exchanges.finishStream(key, output)
        #expect(output.isBufferEmpty)
        #expect(exchanges.byteCount >= head.count)
        #expect(exchanges.machine.phase == .ending)
    }
}

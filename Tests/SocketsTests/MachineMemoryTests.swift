import Testing

@testable import Sockets

@Suite struct `The memory of a machine` {
    @Test(
        arguments: [
            ("max\n", nil), ("536870912\n", 536_870_912), ("9223372036854771712\n", nil), ("", nil),
            ("0\n", nil), ("-1\n", nil), ("1024", 1024),
        ] as [(String, Int?)])
    func `is what a control group allows`(text: String, limit: Int?) {
        #expect(MachineMemory.limit(in: text) == limit)
    }

    @Test func `is more than a megabyte everywhere`() {
        #expect(MachineMemory.byteCount > 1 << 20)
    }
}

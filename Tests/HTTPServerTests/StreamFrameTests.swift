@testable import HTTPServer
import Sockets
import Testing

@Suite struct StreamFrameTests {
    @Test(arguments: [1, 9, 10, 15, 16, 255, 4_096, 65_535, 65_536, 1_000_000])
    func `a frame is one chunk around its payload, whatever was expected`(count: Int) {
        let content = [UInt8](repeating: 0x61, count: count)
        for capacity in [count, count + 100, count * 20 + 70_000] {
            let frame = StreamFrame(capacity: capacity) { $0.append(contentsOf: content) }
            #expect(payload(frame.chunk.bytes) == String(repeating: "a", count: count))
            #expect(Array(frame.chunk.bytes[frame.payloadRange]) == content)
            #expect(frame.count == count)
            #expect(frame.chunk.bytes.suffix(2) == [13, 10])
        }
    }
}

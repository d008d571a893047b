@testable import HTTPServer
import Gzip
import Sockets
import Testing

@Suite struct StreamCodingTests {
    private let source = ProbeSource(Journal())

    private func shared(_ change: (inout HTTPLimits) -> Void) -> ServerShared {
        var limits = HTTPLimits()
        change(&limits)
        return ServerShared(
            WebServerConfiguration(limits: limits), mailboxes: [],
            memory: MemoryBudget(limits, loopCount: 1))
    }

    private func coding(storedByteCount: Int = 1 << 20) -> StreamCoding {
        let shared = shared { $0.compressedFrameByteCount = storedByteCount }
        #expect(shared.beginCompressing(for: 1))
        return StreamCoding(source: source, of: 1, in: shared)
    }

    private func encode(_ coding: StreamCoding, isLast: Bool = false, into bytes: inout [UInt8]) {
        coding.encode(isLast: isLast, at: Instant(nanoseconds: 0), FrameCompressor()) { frame in
            bytes += [UInt8](copying: frame.chunk.bytes.span.extracting(frame.payloadRange))
        }
    }

    @Test func `frames wait as they are until they are encoded`() throws {
        let coding = coding()
        var decompressor = GzipDecompressor(outputLimit: 1000)
        for round in ["a", "b"] {
            coding.add(StreamFrame([UInt8]("\(round)1\n".utf8)))
            coding.add(StreamFrame([UInt8]("\(round)2\n".utf8)))
            #expect(coding.pendingByteCount == 6)
            var coded: [UInt8] = []
            encode(coding, into: &coded)
            #expect(coding.pendingByteCount == 0)
            var plain: [UInt8] = []
            try decompressor.decompress(coded.span, into: &plain)
            #expect(text(plain) == "\(round)1\n\(round)2\n")
        }
    }

    @Test(arguments: [0, 1, 3]) func `the last encoding ends the member`(count: Int) throws {
        let coding = coding()
        for _ in 0..<count { coding.add(StreamFrame([1, 2, 3])) }
        var coded: [UInt8] = []
        encode(coding, isLast: true, into: &coded)
        #expect(try gunzip(coded.span, limit: 100).count == 3 * count)
    }

    @Test func `large frames are wrapped only`() throws {
        let coding = coding(storedByteCount: 1000)
        let small = [UInt8](repeating: 1, count: 1000)
        let large = [UInt8](repeating: 1, count: 1001)
        var sizes: [Int] = []
        var all: [UInt8] = []
        for frame in [small, large, small] {
            var coded: [UInt8] = []
            coding.add(StreamFrame(frame))
            encode(coding, into: &coded)
            sizes.append(coded.count)
            all += coded
        }
        encode(coding, isLast: true, into: &all)
        #expect(sizes[0] < 100 && sizes[1] > 1001 && sizes[2] < 100)
        #expect(try gunzip(all.span, limit: 10_000).count == 3001)
    }

    @Test func `compressed streams are counted while they are open, up to the limit and a share`() {
        let shared = shared { $0.compressedStreamCount = 40 }
        var codings: [StreamCoding] = []
        func open(_ client: UInt16) -> Bool {
            guard shared.beginCompressing(for: client) else { return false }
            codings.append(StreamCoding(source: source, of: client, in: shared))
            return true
        }
        for client in 1...3 as ClosedRange<UInt16> {
            let opened = (0..<20).count { _ in open(client) }
            #expect(opened == [16, 16, 8][Int(client) - 1])
        }
        #expect(!open(4))
        codings = []
        #expect(open(4))
    }
}

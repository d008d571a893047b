@testable import HTTPServer
import Bytes
import Gzip
import Sockets
import Testing

@Suite struct `A compression that streams share` {
    /// A client that reads what it is sent, and holds it against the frames.
    private struct Reader {
        var last = 0
        var member = GzipMember()
        var coded = GzipMember.head
        var plain: [UInt8] = []

        /// Returns the count of bytes that are sent.
        @discardableResult
        mutating func take(
            _ frame: StreamFrame, _ compression: SharedCompression, _ single: FrameCompressor,
            at second: Double
        ) -> Int {
            let form = compression.form(
                of: frame, after: last, isStored: frame.count > 4096, at: instant(second),
                or: single)
            last = form.id
            member.add(form.sum)
            coded += bytes(of: form.coded)
            plain += bytes(of: frame)
            return form.coded.count
        }

        func check(_ location: SourceLocation = #_sourceLocation) throws {
            let whole = coded + member.end
            let read = try gunzip(whole.span, limit: 1 << 30)
            #expect(read == plain, sourceLocation: location)
        }
    }

    private static func instant(_ seconds: Double) -> Instant {
        Instant(nanoseconds: Int64(seconds * 1e9))
    }

    private static func bytes(of frame: StreamFrame) -> [UInt8] {
        [UInt8](copying: frame.chunk.bytes.span.extracting(frame.payloadRange))
    }

    private static func frame(_ count: Int) -> StreamFrame {
        let words = (0..<100).map { "item \($0 &* 7919 % 997)" }.joined(separator: ",")
        return StreamFrame(Array("id: k-\(count)\ndata: {\"count\":\(count),\(words)}\n\n".utf8))
    }

    @Test
    func `sends those who have read the same the same bytes, of which a change is a small part`()
        throws
    {
        let (compression, single) = (SharedCompression(), FrameCompressor())
        var readers = [Reader](repeating: Reader(), count: 3)
        var counts: [Int] = []
        for count in 0..<20 {
            let frame = Self.frame(count)
            for index in readers.indices {
                counts.append(readers[index].take(frame, compression, single, at: Double(count)))
            }
        }
        #expect(Set(readers.map(\.coded)).count == 1)
        #expect(counts.dropFirst(3).allSatisfy { $0 <= 40 })
        for reader in readers { try reader.check() }
    }

    @Test func `compresses each of many frames of a turn once for all`() throws {
        let (compression, single) = (SharedCompression(), FrameCompressor())
        var readers = [Reader](repeating: Reader(), count: 3)
        for turn in 0..<2 {
            let frames = (0..<40).map { Self.frame(turn * 40 + $0) }
            for index in readers.indices {
                for frame in frames {
                    readers[index].take(frame, compression, single, at: Double(turn))
                }
            }
            compression.add(streams: 1)
            #expect(compression.byteCountPerStream > 40 * 1000)
            compression.turnEnded()
            #expect(compression.byteCountPerStream < 30 * 1024)
            compression.add(streams: -1)
        }
        #expect(Set(readers.map(\.coded)).count == 1)
        #expect(readers[0].last == 80)
        for reader in readers { try reader.check() }
    }

    @Test func `takes in who joins a second later, with one large event for all`() throws {
        let (compression, single) = (SharedCompression(), FrameCompressor())
        var (first, second) = (Reader(), Reader())
        first.take(Self.frame(0), compression, single, at: 0)
        first.take(Self.frame(1), compression, single, at: 0.1)
        #expect(second.take(Self.frame(1), compression, single, at: 0.2) > 100)
        let soon = Self.frame(2)
        #expect(second.take(soon, compression, single, at: 0.9) > 100)
        #expect(first.take(soon, compression, single, at: 0.9) <= 40)
        let later = Self.frame(3)
        #expect(second.take(later, compression, single, at: 1.0) > 100)
        #expect(first.take(later, compression, single, at: 1.0) > 100)
        let next = Self.frame(4)
        #expect(second.take(next, compression, single, at: 1.1) <= 40)
        #expect(first.take(next, compression, single, at: 1.1) <= 40)
        #expect(first.last == second.last)
        try first.check()
        try second.check()
    }

    @Test func `goes on with those who stay when the one ahead has gone`() throws {
        let (compression, single) = (SharedCompression(), FrameCompressor())
        var (gone, rest) = (Reader(), Reader())
        gone.take(Self.frame(0), compression, single, at: 0)
        gone.take(Self.frame(1), compression, single, at: 1)
        for count in 2..<5 { rest.take(Self.frame(count), compression, single, at: Double(count)) }
        #expect(rest.take(Self.frame(5), compression, single, at: 5) <= 40)
        try rest.check()
    }

    @Test(arguments: [1, 2, 3, .random(in: 4 ... .max)])
    func `is read whole by whoever comes, skips, lags and goes`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let (compression, single) = (SharedCompression(), FrameCompressor())
        var readers: [Reader] = []
        var waiting: [[StreamFrame]] = []
        var second = 0.0
        for count in 0..<300 {
            second += Double.random(in: 0...0.4, using: &random)
            let size = Int.random(in: 0..<20, using: &random)
            let frame =
                size == 0
                ? StreamFrame([UInt8](repeating: UInt8(count % 251), count: 5000))
                : Self.frame(count)
            if readers.count < 6, Bool.random(using: &random) {
                readers.append(Reader())
                waiting.append([Self.frame(-count)])
            }
            for index in readers.indices {
                if Int.random(in: 0..<10, using: &random) > 0 { waiting[index].append(frame) }
                guard Int.random(in: 0..<4, using: &random) > 0 else { continue }
                for frame in waiting[index] {
                    readers[index].take(frame, compression, single, at: second)
                }
                waiting[index] = []
            }
            compression.turnEnded()
            if readers.count > 4, Int.random(in: 0..<20, using: &random) == 0 {
                try readers.removeFirst().check()
                waiting.removeFirst()
            }
        }
        for reader in readers { try reader.check() }
    }
}

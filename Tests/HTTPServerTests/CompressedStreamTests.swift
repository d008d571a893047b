@testable import HTTPServer
import FaultPlans
import Gzip
import HTTPMessages
import Sockets
import Testing

@Suite struct CompressedStreamTests {
    /// The client of a compressed stream: inflates what comes, as it comes.
    private final class Client {
        let connection: BlockingConnection
        private(set) var head = ""
        private var chunks: [UInt8] = []
        private var decoder = ChunkedDecoder(start: 0, limit: .max)
        private var takenCount = 0
        private var decompressor = GzipDecompressor(outputLimit: 1 << 30)
        private(set) var codedByteCount = 0

        init(_ server: TestServer) throws {
            connection = try server.connect()
            try connection.send(Request.get("/stream?gzip", "Accept-Encoding: gzip"))
            let first = try connection.receive { text($0).contains("\r\n\r\n") }
            let end = try #require(
                first.indices.first { first[$0...].starts(with: [13, 10, 13, 10]) })
            head = text(Array(first[..<end]))
            chunks = Array(first[(end + 4)...])
            _ = try decoder.decode(&chunks)
        }

        /// The next bytes, inflated; nil at the end of the stream, which must be a gzip member's.
        func receive(limit: Int = 65_536) throws -> [UInt8]? {
            while takenCount == decoder.decodedEnd {
                let more = try connection.receive(limit: limit)
                guard !more.isEmpty else { break }
                chunks += more
                _ = try decoder.decode(&chunks)
            }
            let bytes = Array(chunks[takenCount..<decoder.decodedEnd])
            takenCount = decoder.decodedEnd
            codedByteCount += bytes.count
            guard !bytes.isEmpty else {
                var other = GzipDecompressor(outputLimit: 0)
                swap(&other, &decompressor)
                try other.finish()
                return nil
            }
            var plain: [UInt8] = []
            try decompressor.decompress(bytes.span, into: &plain)
            return plain
        }

        func receive(byteCount: Int) throws -> [UInt8] {
            var all: [UInt8] = []
            while all.count < byteCount, let some = try receive() { all += some }
            return all
        }

        func receiveAll() throws -> String {
            var all: [UInt8] = []
            while let some = try receive() { all += some }
            return text(all)
        }
    }

    @Test func `head and first frame go out in one write, each later frame in one`() async throws {
        let plan = FaultPlan { _, _ in nil }
        try await TestServer.run(faults: plan) { server in
            let client = try Client(server)
            #expect(plan.count(of: .send) + plan.count(of: .sendGathered) == 1)
            #expect(client.head.contains("\r\nContent-Encoding: gzip"))
            #expect(try text(client.receive() ?? []) == "hello on 0\n")
            for frame in ["one;", "two;"] {
                _ = try server.exchange(Request.post("/send", frame, close: true))
                #expect(try text(client.receive() ?? []) == frame)
            }
        }
    }

    @Test func `a turn's frames are compressed together`() async throws {
        let plan = FaultPlan { _, _ in nil }
        try await TestServer.run(limits: .longTurns, faults: plan) { server in
            let clients = [try Client(server), try Client(server)]
            for client in clients { #expect(try client.receive() != nil) }
            let before = plan.count(of: .send) + plan.count(of: .sendGathered)
            let feeder = try server.connect()
            try feeder.send(Request.post("/send", "one;") + Request.post("/send", "two;"))
            for client in clients { #expect(try text(client.receive() ?? []) == "one;two;") }
            #expect(plan.count(of: .send) + plan.count(of: .sendGathered) - before == 3)
        }
    }

    @Test func `a finished stream ends with the checksum`() async throws {
        try await TestServer.run { server in
            let client = try Client(server)
            _ = try server.exchange(
                Request.post("/send", "last") + Request.post("/finish", "", close: true))
            #expect(try client.receiveAll() == "hello on 0\nlast")
            await server.journal.wait(for: "closed")
            #expect(server.journal.all.count { $0 == "closed" } == 1)
        }
    }

    @Test func `a stream of age says so, compressed, and ends`() async throws {
        try await TestServer.run { server in
            let client = try Client(server)
            await server.server.advance(by: .seconds(721))
            #expect(try client.receiveAll() == "hello on 0\nend: age\n")
        }
    }

    @Test func `above the limit streams are plain, until one has gone`() async throws {
        var limits = HTTPLimits()
        limits.compressedStreamCount = 1
        try await TestServer.run(limits: limits) { server in
            do {
                let first = try Client(server)
                #expect(first.head.contains("Content-Encoding: gzip"))
                let second = try server.connect()
                try second.send(Request.get("/stream?gzip"))
                #expect(try !second.receive(upTo: "hello on 0\n").contains("Content-Encoding"))
            }
            await server.journal.wait(for: "closed", count: 2)
            let third = try Client(server)
            #expect(third.head.contains("Content-Encoding: gzip"))
        }
    }

    @Test func `a slow reader is told of, catches up, and misses nothing`() async throws {
        try await TestServer.run { server in
            let slow = try Client(server)
            let frame = String(repeating: Self.noise, count: 2)
            var sent = "hello on 0\n".utf8.count
            sent += try server.sendUntilBlocked(frame)
            for _ in 0..<3 {
                _ = try server.exchange(Request.post("/send", frame, close: true))
                sent += frame.utf8.count
            }
            #expect(try slow.receive(byteCount: sent).count == sent)
            #expect(slow.codedByteCount > sent / 2)
            await server.journal.wait(for: "drained")
            _ = try server.exchange(Request.post("/finish", "", close: true))
            #expect(try slow.receiveAll().isEmpty)
        }
    }

    @Test func `a blocked stream that is finished still ends whole`() async throws {
        try await TestServer.run { server in
            let slow = try Client(server)
            let frame = String(repeating: Self.noise, count: 2)
            var sent = "hello on 0\n".utf8.count
            sent += try server.sendUntilBlocked(frame)
            _ = try server.exchange(
                Request.post("/send", "last") + Request.post("/finish", "", close: true))
            let all = try slow.receiveAll()
            #expect(all.utf8.count == sent + 4)
            #expect(all.hasSuffix("last"))
        }
    }

    @Test func `a client that takes nothing is closed`() async throws {
        try await TestServer.run { server in
            let slow = try Client(server)
            try slow.connection.limitReceiveBuffer(to: 4096)
            let frame = String(repeating: Self.noise, count: 2)
            try server.sendUntilBlocked(frame)
            await server.server.advance(by: .seconds(21))
            await server.journal.wait(for: "closed")
        }
    }

    /// 100 KB of text that does not compress well.
    private static let noise: String = {
        var generator = SystemRandomNumberGenerator()
        return String(
            decoding: (0..<100_000).map { _ in
                UInt8.random(in: 0x20..<0x7F, using: &generator)
            }, as: UTF8.self)
    }()
}

import Gzip
import HTTPMessages
import Sockets
import Testing

@testable import StatecastTesting

/// A stream, inflated as it comes where it is in gzip.
final class InflatingStream {
    private let connection: BlockingConnection
    private var decompressor = GzipDecompressor(outputLimit: 1 << 30)
    private var coded: [UInt8] = []
    /// What the last `receive` has read, before it was inflated.
    private(set) var lastCoded: [UInt8] = []
    private var body = ResponseBody(.chunked)
    /// The head of the answer.
    let head: String

    /// Asks for a stream and receives its head.
    init(_ server: TestServer, _ target: String, fields: [String: String] = [:]) throws {
        connection = try server.connect()
        let all = ["Host": "127.0.0.1:\(server.port)", "Accept-Encoding": "gzip"]
            .merging(fields) { $1 }
        let lines = all.map { "\($0.key): \($0.value)\r\n" }.joined()
        try connection.send("GET \(target) HTTP/1.1\r\n\(lines)\r\n")
        let end: [UInt8] = [13, 10, 13, 10]
        func place(in bytes: [UInt8]) -> Int? {
            bytes.indices.first { bytes[$0...].starts(with: end) }
        }
        let first = try connection.receive { place(in: $0) != nil }
        let count = try #require(place(in: first))
        head = String(decoding: first[..<count], as: UTF8.self)
        let rest = Array(first[(count + 4)...])
        try body.read(rest.span, to: &coded)
    }

    /// What comes, inflated, until it ends with `end`.
    func receive(to end: String) throws -> String {
        try receive { $0.reversed().starts(with: end.utf8.reversed()) }
    }

    /// What comes, inflated, until its end, an event's, holds `part` among the last bytes.
    func receive(toPart part: String) throws -> String {
        try receive { bytes in
            guard bytes.last == UInt8(ascii: "\n") else { return false }
            return String(decoding: bytes.suffix(200), as: UTF8.self).contains(part)
        }
    }

    private func receive(until isComplete: ([UInt8]) -> Bool) throws -> String {
        var plain: [UInt8] = []
        lastCoded = []
        while true {
            let bytes = coded
            lastCoded += coded
            coded = []
            if isCompressed {
                try decompressor.decompress(bytes.span, into: &plain)
            } else {
                plain += bytes
            }
            if isComplete(plain) { return String(decoding: plain, as: UTF8.self) }
            let more = try connection.receive()
            guard !more.isEmpty else { throw DecompressionFailure.truncated }
            try body.read(more.span, to: &coded)
        }
    }

    private var isCompressed: Bool { head.contains("Content-Encoding: gzip") }

    /// Receives the end of the stream, which must be that of a gzip member.
    func finish() throws {
        var plain: [UInt8] = []
        var rest: [UInt8] = []
        let last = try connection.receiveAll()
        try body.read(last.span, to: &rest)
        try decompressor.decompress(rest.span, into: &plain)
        #expect(plain.isEmpty)
        var other = GzipDecompressor(outputLimit: 0)
        swap(&other, &decompressor)
        try other.finish()
    }
}

import Testing

@testable import HTTPMessages

@Suite struct BytesScanningTests {
    private typealias Scan = (Span<UInt8>, Int) -> Int

    /// Any byte at any place of a run, at any distance from the end, beside any kind of neighbour.
    private func check(
        filler: UInt8, _ isPart: (UInt8) -> Bool, _ scan: Scan
    ) {
        for count in [1, 7, 8, 9, 20] {
            for place in 0..<count {
                for byte in UInt8.min...UInt8.max {
                    for neighbour in [filler, byte &- 1, byte &+ 1, byte ^ 0x80] {
                        var bytes = [UInt8](repeating: filler, count: count)
                        bytes[place] = byte
                        if place + 1 < count { bytes[place + 1] = neighbour }
                        let expected = bytes.firstIndex { !isPart($0) } ?? count
                        let found = scan(bytes.span, 0)
                        if found != expected {
                            Issue.record("\(bytes): \(found) instead of \(expected)")
                            return
                        }
                    }
                }
            }
        }
    }

    @Test func `a token ends where its first other byte is`() {
        check(filler: UInt8(ascii: "x"), \.isToken) { $0.endOfToken(from: $1) }
    }

    @Test func `a field's value ends at the first control character that is no tab`() {
        check(filler: UInt8(ascii: ","), \.isFieldContent) {
            $0.endOfFieldContent(from: $1)
        }
    }

    @Test func `a run of visible characters ends at the first byte that is none`() {
        check(filler: UInt8(ascii: "/"), { $0 > 0x20 && $0 < 0x7F }) { $0.endOfVisible(from: $1) }
    }

    @Test func `a plain path ends at the first byte that needs a look`() {
        let isPlain = { (byte: UInt8) in
            byte &- 0x2D < 13 || byte.lowercased &- 0x61 < 26
        }
        check(filler: UInt8(ascii: "a"), isPlain) { bytes, start in
            bytes.endOfPlainPath(from: start, to: bytes.count)
        }
    }

    @Test func `a plain path does not run beyond its end`() {
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 32)
        for end in 0...32 { #expect(bytes.span.endOfPlainPath(from: 0, to: end) == end) }
    }

    @Test func `a line feed is found wherever it is`() {
        check(filler: UInt8(ascii: "x"), { $0 != .lineFeed }) { $0.nextLineFeed(from: $1) }
    }

    @Test(arguments: [
        ("Host", KnownField.host), ("expect", .expect), ("ACCEPT", .accept),
        ("If-Match", .ifMatch), ("If-Range", .ifRange), ("Range", .range), ("prefer", .prefer),
        ("Origin", .origin), ("Cookie", .cookie), ("Connection", .connection),
        ("Content-Length", .contentLength), ("content-type", .contentType),
        ("Content-Encoding", .contentEncoding), ("Accept-Encoding", .acceptEncoding),
        ("If-None-Match", .ifNoneMatch), ("Sec-Fetch-Site", .secFetchSite),
        ("Last-Event-ID", .lastEventID), ("Idempotency-Key", .idempotencyKey),
        ("AUTHORIZATION", .authorization), ("Transfer-Encoding", .transferEncoding),
        ("If-Modified-Since", .ifModifiedSince), ("If-Unmodified-Since", .ifUnmodifiedSince),
    ])
    func `a field is known by its name, and by no name near it`(name: String, field: KnownField) {
        #expect(named(Array(name.utf8)) == field)
        #expect(named(Array(name.dropLast().utf8)) != field)
        #expect(named(Array(name.utf8) + [UInt8(ascii: "s")]) != field)
        for place in name.utf8.indices.enumerated().map(\.offset) {
            var other = Array(name.utf8)
            other[place] = UInt8(ascii: "!")
            #expect(named(other) != field)
        }
    }

    private func named(_ name: [UInt8]) -> KnownField? {
        KnownField.named(Slice(0..<name.count), in: name.span)
    }
}

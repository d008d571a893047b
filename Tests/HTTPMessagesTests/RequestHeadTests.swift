import HTTPMessages
import Testing

@Suite struct `Request heads` {
    static let names: [(String, KnownField)] = [
        ("Host", .host), ("Connection", .connection), ("Content-Length", .contentLength),
        ("Transfer-Encoding", .transferEncoding), ("Content-Type", .contentType),
        ("Content-Encoding", .contentEncoding), ("Expect", .expect), ("Accept", .accept),
        ("Accept-Encoding", .acceptEncoding), ("If-Match", .ifMatch),
        ("If-None-Match", .ifNoneMatch), ("If-Modified-Since", .ifModifiedSince),
        ("If-Unmodified-Since", .ifUnmodifiedSince), ("If-Range", .ifRange), ("Range", .range),
        ("Prefer", .prefer), ("Origin", .origin), ("Sec-Fetch-Site", .secFetchSite),
        ("Last-Event-ID", .lastEventID), ("Idempotency-Key", .idempotencyKey),
        ("Authorization", .authorization), ("Cookie", .cookie),
    ]

    @Test func `every known field has a name here`() {
        #expect(Set(Self.names.map(\.1)) == Set(KnownField.allCases))
    }

    @Test(arguments: names)
    func `a known field is found by its name in any letters`(name: String, field: KnownField) {
        let values: [KnownField: String] = [.contentLength: "1", .transferEncoding: "chunked"]
        let value = values[field] ?? "value"
        for spelling in [name, name.lowercased(), name.uppercased()] {
            let host = field == .host ? "" : "Host: a\r\n"
            let bytes = [UInt8]("GET / HTTP/1.1\r\n\(host)\(spelling): \(value)\r\n\r\n")
            var parser = RequestParser()
            #expect(throws: Never.self) { _ = try parser.parse(bytes.span) }
            #expect(parser.head.value(field)?.string(in: bytes.span) == value)
        }
    }

    @Test(arguments: names)
    func `a name that differs in one byte is another's`(name: String, field: KnownField) throws {
        for position in name.indices {
            var other = name
            other.replaceSubrange(position...position, with: "~")
            let (head, _) = try parsedHead("\(other): x", "\(name)x: x", "x\(name): x")
            #expect(field == .host || head.value(field) == nil, "\(other)")
        }
    }

    @Test(arguments: names)
    func `a second one is refused by its name on the wire`(name: String, field: KnownField) {
        let start = "GET / HTTP/1.1\r\n" + (field == .host ? "" : "Host: a\r\n")
        let bytes = [UInt8]("\(start)\(name): 1\r\n\(name.lowercased()): 1\r\n\r\n")
        var parser = RequestParser()
        do throws(RequestError) {
            _ = try parser.parse(bytes.span)
        } catch {
            #expect(error.detail == "The field \(name) may stand once only.")
        }
    }

    @Test func `fields are told in their order, with their white space taken off`() throws {
        let (head, bytes) = try parsedHead("A:  b \t", "C:", "A: d: e")
        var fields: [String] = []
        head.forEachField(in: bytes.span) { name, value in
            fields.append("\(name.string(in: bytes.span))=\(value.string(in: bytes.span))")
        }
        #expect(fields == ["Host=a", "A=b", "C=", "A=d: e"])
    }

    @Test func `the lines of a list are told in their order`() throws {
        let (head, bytes) = try parsedHead("Prefer: a", "X: y", "prefer: b", "PREFER: c")
        var values: [String] = []
        head.forEachValue(.prefer, in: bytes.span) { values.append($0.string(in: bytes.span)) }
        #expect(values == ["a", "b", "c"])
        #expect(head.value(.prefer)?.string(in: bytes.span) == "a")
    }

    @Test(arguments: [
        ("a, b", ["a", "b"]), (" a ,\tb ", ["a", "b"]), (",,a,,", ["a"]), ("", []), (" , ", []),
        ("\"a, b\", c", ["\"a, b\"", "c"]), ("a", ["a"]), ("\"a, b", ["\"a, b"]),
    ])
    func `a list is split at the commas that are not quoted`(text: String, elements: [String]) {
        let bytes = [UInt8](text)
        var found: [String] = []
        Slice(0..<bytes.count).forEachElement(in: bytes.span) {
            found.append($0.string(in: bytes.span))
        }
        #expect(found == elements)
    }

    @Test func `limits beyond what offsets can tell do no harm`() throws {
        var limits = RequestLimits()
        limits.headByteCount = .max
        limits.targetByteCount = .max
        limits.fieldCount = .max
        var parser = RequestParser(limits: limits)
        let bytes = [UInt8]("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try parser.parse(bytes.span))
    }
}

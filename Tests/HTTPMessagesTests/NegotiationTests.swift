import HTTPMessages
import Testing

@Suite struct `Accept and Accept-Encoding` {
    @Test(arguments: [
        ("application/json", 1000), ("*/*", 1000), ("application/*;q=0.5", 500), ("text/html", 0),
        ("*/*;q=0.1, application/json;q=0.9", 900), ("application/json;q=0, */*", 0),
        ("APPLICATION/JSON ; Q=0.25", 250), ("application/json;charset=utf-8;q=0.5", 500),
        ("text/*, application/*;q=0.001", 1), ("application/json;q=1.000", 1000),
        ("application/json;q=x", 0), ("application/json;q=2", 0), ("application/json;q=0.1234", 0),
        ("application/json;q=", 0), ("application/json;q=-1", 0), (", ,application/json,", 1000),
        ("", 0), (";;;", 0), ("application/json;q=.5", 0), ("application/json;q=0.", 0),
    ])
    func `a media type has the weight of the range that fits most closely`(
        field: String, weight: Int
    ) throws {
        let (head, bytes) = try parsedHead("Accept: \(field)")
        #expect(AcceptField.weight(ofType: "application/json", head, in: bytes.span) == weight)
    }

    @Test func `without Accept every type is wanted`() throws {
        let (head, bytes) = try parsedHead()
        #expect(AcceptField.weight(ofType: "text/html", head, in: bytes.span) == 1000)
    }

    @Test func `Accept may stand on several lines`() throws {
        let (head, bytes) = try parsedHead("Accept: a/b", "Accept: text/html;q=0.5")
        #expect(AcceptField.weight(ofType: "text/html", head, in: bytes.span) == 500)
    }

    @Test(arguments: [
        ("gzip", 1000, 1, true), ("x-gzip", 1000, 1, true), ("GZIP;q=0.5", 500, 1, true),
        ("*", 1000, 1000, true), ("*;q=0", 0, 0, false), ("gzip;q=0", 0, 1, false),
        ("identity", 0, 1000, false), ("identity;q=0, gzip", 1000, 0, true),
        ("gzip;q=0.5, identity", 500, 1000, false), ("br, deflate", 0, 1, false), ("", 0, 1, false),
        ("gzip;q=0, *", 0, 1000, false), ("br;q=1.0, gzip;q=0.8, *;q=0.1", 800, 100, true),
    ])
    func `codings have weights, identity is refused by name or by an asterisk`(
        field: String, gzip: Int, identity: Int, prefersGzip: Bool
    ) throws {
        let (head, bytes) = try parsedHead("Accept-Encoding: \(field)")
        #expect(AcceptField.weight(ofCoding: "gzip", head, in: bytes.span) == gzip)
        #expect(AcceptField.weight(ofCoding: "identity", head, in: bytes.span) == identity)
        #expect(AcceptField.prefers(coding: "gzip", head, in: bytes.span) == prefersGzip)
    }

    @Test func `without Accept-Encoding nothing is coded`() throws {
        let (head, bytes) = try parsedHead()
        let prefersGzip = AcceptField.prefers(coding: "gzip", head, in: bytes.span)
        #expect(!prefersGzip)
        #expect(AcceptField.weight(ofCoding: "identity", head, in: bytes.span) == 1000)
    }

    @Test(arguments: [
        ("application/json", true), ("Application/JSON;charset=utf-8", true),
        ("application/json ; a=b", true), ("application/jsonp", false), ("json", false),
        ("", false),
    ])
    func `a media type is compared without its parameters`(value: String, isEqual: Bool) throws {
        let (head, bytes) = try parsedHead("Content-Type: \(value)")
        let slice = try #require(head.value(.contentType))
        #expect(slice.isMediaType("application/json", in: bytes.span) == isEqual)
    }
}

import HTTPMessages
import Testing

@Suite struct `Entity tags, preferences, ranges and keys` {
    @Test(arguments: [
        ("\"t1\"", EntityTag.Condition.matches), ("W/\"t1\"", .matches), ("*", .matches),
        ("\"t2\"", .differs), ("\"\"", .differs), ("\"T1\"", .differs), ("\"t1 \"", .malformed),
        ("\"t2\", \"t1\"", .matches), ("\"a,b\", W/\"t1\"", .matches), ("\"a\",,\"b\"", .differs),
        ("t1", .malformed), ("\"t1", .malformed), ("t1\"", .malformed), ("w/\"t1\"", .malformed),
        ("\"", .malformed), ("W/", .malformed), ("", .malformed), (",", .malformed),
        ("*, \"t1\"", .malformed), ("\"t1\", *", .malformed), ("\"t1\" \"t2\"", .malformed),
        ("\"t1\", x", .malformed), ("'t1'", .malformed), ("W/*", .malformed),
    ])
    func `a list of tags is compared with the current one`(
        field: String, condition: EntityTag.Condition
    ) throws {
        for (name, known) in [("If-Match", KnownField.ifMatch), ("If-None-Match", .ifNoneMatch)] {
            let (head, bytes) = try parsedHead("\(name): \(field)")
            let found = EntityTag.condition(
                known, of: head, in: bytes.span, current: [UInt8]("t1"))
            #expect(found == condition, "\(name)")
        }
    }

    @Test(arguments: [
        ("\"t1\"", EntityTag.Condition.matches), ("*", .matches), ("W/\"t1\"", .differs),
        ("W/\"t2\"", .differs), ("W/\"t1\", \"t1\"", .matches), ("W/\"t1\", \"a\"", .differs),
        ("W/t1", .malformed),
    ])
    func `a weak tag is none where the comparison is strong`(
        field: String, condition: EntityTag.Condition
    ) throws {
        let (head, bytes) = try parsedHead("If-Match: \(field)")
        let found = EntityTag.condition(
            .ifMatch, of: head, in: bytes.span, current: [UInt8]("t1"), isStrong: true)
        #expect(found == condition)
    }

    @Test func `tags may stand on several lines, or nowhere`() throws {
        let (head, bytes) = try parsedHead("If-None-Match: \"a\"", "If-None-Match: \"t1\"")
        let current = [UInt8]("t1")
        #expect(
            EntityTag.condition(.ifNoneMatch, of: head, in: bytes.span, current: current)
                == .matches)
        #expect(EntityTag.condition(.ifMatch, of: head, in: bytes.span, current: current) == nil)
    }

    @Test(arguments: [
        ("wait=25", 25, nil), ("return=representation", nil, "representation"),
        ("return=minimal", nil, "minimal"), ("WAIT=1, Return=Minimal", 1, "Minimal"),
        ("wait = \"5\"", 5, nil), ("return=minimal, return=representation", nil, "minimal"),
        ("wait=1, wait=2", 1, nil), ("wait=-1", nil, nil), ("wait=x", nil, nil),
        ("wait", nil, nil), ("", nil, nil), ("wait=99999999999999999999", nil, nil),
        ("respond-async, wait=10; a=b", 10, nil), ("a=\"wait=1\"", nil, nil),
    ])
    func `preferences are read, unknown ones passed over`(
        field: String, wait: Int?, answer: String?
    ) throws {
        let (head, bytes) = try parsedHead("Prefer: \(field)")
        let span = bytes.span
        #expect(head.preference("wait", in: span)?.decimal(in: span) == wait)
        #expect(head.preference("return", in: span)?.string(in: span) == answer)
    }

    @Test(arguments: [
        ("bytes=0-4", ByteRange.part(0..<5)), ("bytes=5-", .part(5..<10)),
        ("bytes=-3", .part(7..<10)),
        ("bytes=0-99", .part(0..<10)), ("bytes=-99", .part(0..<10)), ("bytes=9-9", .part(9..<10)),
        ("BYTES=0-0", .part(0..<1)), ("bytes=10-", .unsatisfiable), ("bytes=-0", .unsatisfiable),
        ("bytes=4-3", .whole), ("bytes=-", .whole), ("bytes=", .whole), ("bytes=a-b", .whole),
        ("bytes=0-1,3-4", .whole), ("items=0-1", .whole), ("bytes=+1-2", .whole), ("", .whole),
        ("bytes=0--1", .whole), ("bytes=9223372036854775807-", .unsatisfiable),
        ("bytes=0 - 9", .whole), ("bytes= 0-9", .whole), ("bytes=0-9 ", .whole),
        ("bytes=4-9223372036854775807", .part(4..<10)),
        ("bytes=4-99999999999999999999999", .part(4..<10)),
        ("bytes=99999999999999999999999-", .unsatisfiable),
        ("bytes=-99999999999999999999999", .part(0..<10)),
        ("bytes=99999999999999999999998-99999999999999999999999", .unsatisfiable),
        ("bytes=999999999999999999-999999999999999999", .unsatisfiable),
    ])
    func `a range is a part of ten bytes, all of them or none`(field: String, range: ByteRange) {
        let bytes = [UInt8](field)
        #expect(ByteRange(Slice(0..<bytes.count), in: bytes.span, length: 10) == range)
    }

    @Test func `nothing has no part`() {
        let bytes = [UInt8]("bytes=0-")
        let slice = Slice(0..<bytes.count)
        #expect(ByteRange(slice, in: bytes.span, length: 0) == .unsatisfiable)
    }

    @Test(arguments: [
        ("abc", "abc"), ("\"abc\"", "abc"), ("8e03978e-40d5-43dd", "8e03978e-40d5-43dd"),
        (String(repeating: "k", count: 128), String(repeating: "k", count: 128)),
        (String(repeating: "k", count: 129), nil), ("", nil), ("\"\"", nil), ("\"abc", nil),
        ("abc\"", nil), ("a b", nil), ("a\\b", nil), ("\"", nil), ("ä", nil), ("a\u{7F}", nil),
    ])
    func `a key is a string, quoted or bare, within its bounds`(field: String, key: String?) {
        let bytes = [UInt8](field)
        #expect(Slice(0..<bytes.count).idempotencyKey(in: bytes.span) == key)
    }
}

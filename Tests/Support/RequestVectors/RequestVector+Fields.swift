extension RequestVector {
    private static func host(_ value: String) -> String {
        "GET / HTTP/1.1\r\nHost:\(value)\r\n\r\n"
    }

    static let hosts: [RequestVector] =
        [
            " a", "a", " localhost:8080", " 127.0.0.1:80", " [::1]", " [::1]:443", " a.b-c.d",
            " [::ffff:1.2.3.4]", " a:", " a:65535", "\ta\t", " xn--bcher-kva.example", " a_b",
            " a.",
        ].map { value in
            .taken("RFC 9110 §7.2", "the host `\(value)`", host(value)) {
                $0.authority = value.split { $0 == " " || $0 == "\t" }.joined()
            }
        }
        + [
            "", " ", " a b", " a,b", " a, a", " u@a", " http://a", " a/b", " a:b", " a:65536",
            " a:123456", " a:-1", " a:80:80", " :80", " [::1", " ::1", " [::1]a", " []", " [:]a",
            " [g::1]", " a\\b", " a?b", " a#b", " \"a\"", " \u{E4}", " a\tb", " %61", " a;b", " *",
        ].map { value in
            .refused("RFC 9112 §3.2", "the host `\(value)`", host(value))
        }
        + [
            .refused("RFC 9112 §3.2", "no Host", "GET / HTTP/1.1\r\n\r\n"),
            .refused("RFC 9112 §3.2", "no Host but others", "GET / HTTP/1.1\r\nA: b\r\n\r\n"),
            .refused("RFC 9112 §3.2", "two Hosts", head("Host: b")),
            .refused("RFC 9112 §3.2", "the same Host twice", head("Host: a")),
            .refused("RFC 9112 §3.2", "a second Host in other letters", head("hOST: a")),
            .refused("RFC 9112 §3.2", "a second Host behind others", head("A: b", "Host: a")),
            .taken("RFC 9112 §3.2", "HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\n") {
                $0.isHTTP10 = true
                $0.keepAlive = false
                $0.authority = ""
            },
            .refused(
                "RFC 9112 §3.2", "HTTP/1.0 with two Hosts",
                "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n"),
        ]

    static let fieldNames: [RequestVector] =
        "\"(),/;<=>?@[\\]{} \t\u{00}\u{0B}\u{0D}\u{1F}\u{7F}\u{80}\u{FF}".unicodeScalars.map {
            mark in
            .refused(
                "RFC 9110 §5.1", "the byte \(mark.value) in a name",
                head("A\(Character(mark))B: c"))
        }
        + [
            .taken("RFC 9110 §5.6.2", "all marks of a token", head("!#$%&'*+-.^_`|~09azAZ: b")),
            .taken("RFC 9110 §5.1", "a name of one byte", head("x: b")),
            .taken("RFC 9110 §5.1", "a name of digits", head("0: b")),
            .refused("RFC 9112 §5.1", "a space before the colon", head("A : b")),
            .refused("RFC 9112 §5.1", "a tab before the colon", head("A\t: b")),
            .refused(
                "RFC 9112 §5.1", "a space before the colon of a length",
                head("Content-Length : 5", start: "POST / HTTP/1.1")),
            .refused(
                "RFC 9112 §5.1", "a space before the colon of a coding",
                head("Transfer-Encoding : chunked", start: "POST / HTTP/1.1")),
            .refused("RFC 9112 §5.1", "no name", head(": b")),
            .refused("RFC 9112 §5.1", "no colon", head("Ab")),
            .refused("RFC 9112 §5.2", "a folded line", head("A: b", " c")),
            .refused("RFC 9112 §5.2", "a line folded by a tab", head("A: b", "\tc")),
            .refused(
                "RFC 9112 §2.2", "white space before the first field",
                "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
            .refused(
                "RFC 9112 §5.2", "a folded coding",
                head("Transfer-Encoding:", " chunked", start: "POST / HTTP/1.1")),
            .refused("RFC 9112 §5.2", "a line of one space", head("A: b", " ")),
        ]

    static let fieldValues: [RequestVector] =
        [
            "A:", "A: ", "A:\t \t", "A:b", "A: b ", "A: b:c", "A: b\tc", "A: \u{80}\u{FF}",
            "A: \u{C3}\u{A4}", "A: \"b, c\"", "A: b, , c", "Accept: */*", "Cookie: a=b; c=d",
            "A: !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
        ].map { line in .taken("RFC 9110 §5.5", "the field `\(line)`", head(line)) }
        + ((0..<0x20).filter { $0 != 0x09 && $0 != 0x0A } + [0x7F]).map { (byte: UInt8) in
            .refused(
                "RFC 9110 §5.5", "the byte \(byte) in a value",
                head("A: b\(Character(Unicode.Scalar(byte)))c"))
        }
        + [
            "Content-Type", "Origin", "Sec-Fetch-Site", "Last-Event-ID", "Idempotency-Key",
            "Authorization", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range",
        ].map { name in
            .refused("RFC 9110 §5.3", "two of \(name)", head("\(name): b", "\(name): b"))
        }
        + [
            "Accept", "Accept-Encoding", "If-Match", "If-None-Match", "Prefer", "Cookie", "A",
            "Connection",
        ].map { name in
            .taken("RFC 9110 §5.3", "two of \(name)", head("\(name): b", "\(name): c"))
        }

    static let lineEnds: [RequestVector] = [
        .refused("RFC 9112 §2.2", "line feeds alone", "GET / HTTP/1.1\nHost: a\n\n"),
        .refused("RFC 9112 §2.2", "one behind a field", "GET / HTTP/1.1\r\nHost: a\n\r\n"),
        .refused("RFC 9112 §2.2", "one behind a field, and no more", "GET / HTTP/1.1\r\nHost: a\n"),
        .refused("RFC 9112 §2.2", "one behind the version", "GET / HTTP/1.1\nHost: a\r\n\r\n"),
        .refused("RFC 9112 §2.2", "one at the end", "GET / HTTP/1.1\r\nHost: a\r\n\n"),
        .refused("RFC 9112 §2.2", "a CR too many", "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n"),
        .refused("RFC 9112 §2.2", "a CR alone", "GET / HTTP/1.1\r\nHost: a\rB: c\r\n\r\n"),
        .refused("RFC 9112 §2.2", "a CR alone at the end", "GET / HTTP/1.1\r\nHost: a\r\n\rX\r\n"),
        .refused("RFC 9112 §2.2", "a CR in the version", "GET / HTTP/1.1\r\rHost: a\r\n\r\n"),
        .refused(
            "RFC 9112 §2.2", "a field smuggled behind a line feed",
            head("A: b\nTransfer-Encoding: chunked")),
    ]
}

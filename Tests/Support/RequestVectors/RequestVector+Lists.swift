extension RequestVector {
    static let methods: [RequestVector] =
        ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"].map { method in
            .taken("RFC 9110 §9.3", "the method \(method)", line("\(method) / HTTP/1.1")) {
                $0.method = method
            }
        }
        + ["get", "Get", "GETS", "GE", "PROPFIND", "M-SEARCH", "A!#$%&'*+-.^_`|~9"].map { method in
            .taken("RFC 9110 §9.1", "the method \(method)", line("\(method) / HTTP/1.1")) {
                $0.method = method
            }
        }
        + "\"(),/:;<=>?@[\\]{}\u{00}\u{1F}\u{7F}\u{80}\u{FF}".unicodeScalars.map { mark in
            .refused(
                "RFC 9110 §5.6.2", "the byte \(mark.value) in a method",
                line("G\(Character(mark))T / HTTP/1.1"))
        }
        + [
            .taken(
                "RFC 9110 §9.1", "a method of 32 bytes",
                line(String(repeating: "M", count: 32) + " / HTTP/1.1")
            ) { $0.method = String(repeating: "M", count: 32) },
            .refused(
                "RFC 9110 §9.1", "a method of 33 bytes",
                line(String(repeating: "M", count: 33) + " / HTTP/1.1")),
        ]

    static let targets: [RequestVector] =
        ["%", "%4", "%G0", "%0G", "%%20", "% 20", "%u0041"].map { text in
            .refused(
                "RFC 3986 §2.1", "the escape \(text)", line("GET /\(text) HTTP/1.1"))
        }
        + ["%", "a=%1"].map { text in
            .refused(
                "RFC 3986 §2.1", "the escape \(text) in a query",
                line("GET /?\(text) HTTP/1.1"))
        }
        + "\"<>\\^`{|}#".unicodeScalars.map { mark in
            .refused(
                "RFC 3986 §3.3", "the mark \(mark) in a path",
                line("GET /\(Character(mark)) HTTP/1.1"))
        }
        + "\"<>#".unicodeScalars.map { mark in
            .refused(
                "RFC 3986 §3.4", "the mark \(mark) in a query",
                line("GET /?\(Character(mark)) HTTP/1.1"))
        }
        + "\u{00}\u{01}\u{0B}\u{1F}\u{7F}\u{80}\u{C3}\u{A4}\u{FF}".unicodeScalars.map { mark in
            .refused(
                "RFC 9112 §3.2", "the byte \(mark.value) in a target",
                line("GET /\(Character(mark)) HTTP/1.1"))
        }

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

    static let fieldNames: [RequestVector] =
        "\"(),/;<=>?@[\\]{} \t\u{00}\u{0B}\u{0D}\u{1F}\u{7F}\u{80}\u{FF}".unicodeScalars.map {
            mark in
            .refused(
                "RFC 9110 §5.1", "the byte \(mark.value) in a name",
                head("A\(Character(mark))B: c"))
        }

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

    static let lengths: [RequestVector] =
        [
            ("0", 0), ("5", 5), ("00005", 5), ("1048576", 1_048_576), (" 5\t", 5),
            ("0000000000000000000000000000000000000007", 7),
            ("9223372036854775807", Int.max),
        ].map { text, length in
            .taken("RFC 9110 §8.6", "the length `\(text)`", post("Content-Length: \(text)")) {
                $0.method = "POST"
                $0.body = .length(length)
            }
        }
        + [
            "", " ", "+5", "-5", "-0", "5,5", "5, 5", "5 5", "5.0", "5e0", "0x5", "0b1", "five",
            "5;", "\"5\"", "5\u{A0}", "\u{B2}", "5a", "a5", "1_000", ",5", "5,", "\u{D9}\u{A5}",
        ].map { text in
            .refused(
                "RFC 9112 §6.3", "the length `\(text)`", post("Content-Length: \(text)"))
        }
        + ["9223372036854775808", "18446744073709551617", String(repeating: "9", count: 400)].map {
            text in
            .refused(
                "RFC 9110 §8.6", "a length of \(text.count) digits",
                post("Content-Length: \(text)"), 413)
        }
        + [
            .taken("RFC 9110 §8.6", "a body of GET", head("Content-Length: 2") + "{}") {
                $0.body = .length(2)
                $0.byteCountBehind = 2
            }
        ]

    static let codings: [RequestVector] =
        ["chunked", "CHUNKED", "Chunked", "\tchunked "].map { text in
            .taken("RFC 9112 §7.1", "the coding `\(text)`", post("Transfer-Encoding:\(text)")) {
                $0.method = "POST"
                $0.body = .chunked
            }
        }
        + ["gzip, chunked", "gzip,chunked", "deflate, gzip, chunked", "identity, chunked"].map {
            text in
            .refused(
                "RFC 9112 §6.1", "the codings `\(text)`", post("Transfer-Encoding: \(text)"), 501)
        }
        + [
            "", "identity", "gzip", "chunked, gzip", "chunked, chunked", "chunked,", ", chunked",
            ",chunked", "xchunked", "chunkedx", "chunke", "\"chunked\"", "chunked;q=1",
            "chunked; a",
            "chunked gzip", "gzip chunked", "chunked\u{A0}", "\u{A0}chunked", "x y, chunked",
            "chunked, gzip, chunked", "gzip;, chunked", "chunked\tx", "'chunked'",
        ].map { text in
            .refused(
                "RFC 9112 §6.1", "the coding `\(text)`", post("Transfer-Encoding: \(text)"))
        }

    static let connections: [RequestVector] =
        [
            "close", "Close", "CLOSE", "keep-alive, close", "close, keep-alive", "a,close,b",
            ", close", "upgrade,close ,",
        ].map { text in
            .taken("RFC 9112 §9.6", "Connection: \(text)", head("Connection: \(text)")) {
                $0.keepAlive = false
            }
        }
        + ["keep-alive", "", "upgrade", "closed", "not-close", "te", "close-not"].map { text in
            .taken("RFC 9112 §9.3", "Connection: \(text)", head("Connection: \(text)"))
        }

    static let cuts: [RequestVector] = [
        "", "\r", "\r\n", "\r\n\r\n", "G", "GET", "GET ", "GET /", "GET / ", "GET / HTTP/1.1",
        "GET / HTTP/1.1\r", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost",
        "GET / HTTP/1.1\r\nHost:",
        "GET / HTTP/1.1\r\nHost: a", "GET / HTTP/1.1\r\nHost: a\r", "GET / HTTP/1.1\r\nHost: a\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\r", "GET \u{00}", "HTTP", "GET / HTTP/2.0",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x",
    ].map { text in
        .incomplete("RFC 9112 §8", "\(text.utf8.count) bytes, `\(text.debugDescription)`", text)
    }

    /// At the default limits: 32 KiB of head, 8 KiB of target, 100 fields.
    static let limits: [RequestVector] = [
        .taken("RFC 9110 §4.1", "a target of 8192 bytes", line("GET \(longPath(8192)) HTTP/1.1")) {
            $0.path = longPath(8192)
        },
        .refused(
            "RFC 9110 §15.5.15", "a target of 8193 bytes",
            line("GET \(longPath(8193)) HTTP/1.1"), 414),
        .refused(
            "RFC 9110 §15.5.15", "a target of 16384 bytes",
            line("GET \(longPath(16384)) HTTP/1.1"), 414),
        .refused("RFC 9110 §15.5.15", "a target without an end", "GET " + longPath(9000), 414),
        .taken("RFC 6585 §5", "100 fields", fields(100)),
        .refused("RFC 6585 §5", "101 fields", fields(101), 431),
        .taken("RFC 6585 §5", "a head of 32768 bytes", sized(32_768)),
        .refused("RFC 6585 §5", "a head of 32769 bytes", sized(32_769), 431),
        .refused(
            "RFC 6585 §5", "a field without an end",
            "GET / HTTP/1.1\r\nA: " + String(repeating: "b", count: 33_000), 431),
        .refused(
            "RFC 6585 §5", "a bad field beyond the limit",
            "GET / HTTP/1.1\r\nA b: " + String(repeating: "b", count: 33_000) + "\r\n", 431),
    ]

    private static func longPath(_ count: Int) -> String {
        "/" + String(repeating: "a", count: count - 1)
    }

    private static func fields(_ count: Int) -> String {
        "GET / HTTP/1.1\r\nHost: a\r\n"
            + (1..<count).map { "F\($0): \($0)\r\n" }.joined() + "\r\n"
    }

    private static func sized(_ count: Int) -> String {
        let rest = "GET / HTTP/1.1\r\nHost: a\r\nA: \r\n\r\n"
        return "GET / HTTP/1.1\r\nHost: a\r\nA: "
            + String(repeating: "b", count: count - rest.utf8.count) + "\r\n\r\n"
    }
}

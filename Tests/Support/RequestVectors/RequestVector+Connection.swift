extension RequestVector {
    private static func old(_ lines: String...) -> String {
        (["GET / HTTP/1.0", "Host: a"] + lines).map { $0 + "\r\n" }.joined() + "\r\n"
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
        + [
            .taken(
                "RFC 9110 §5.3", "close on a second line",
                head("Connection: keep-alive", "Connection: close")
            ) { $0.keepAlive = false },
            .taken("RFC 9112 §9.3", "HTTP/1.0 keeps alive on demand", old("Connection: keep-alive"))
            { $0.isHTTP10 = true },
            .taken("RFC 9112 §9.3", "in other letters", old("Connection: Keep-Alive")) {
                $0.isHTTP10 = true
            },
            .taken(
                "RFC 9112 §9.3", "HTTP/1.0 with both options",
                old("Connection: keep-alive, close")
            ) {
                $0.isHTTP10 = true
                $0.keepAlive = false
            },
            .taken("RFC 9112 §9.3", "HTTP/1.0 with another option", old("Connection: te")) {
                $0.isHTTP10 = true
                $0.keepAlive = false
            },
            .taken(
                "RFC 9110 §7.8", "an upgrade is not taken up",
                head("Connection: upgrade", "Upgrade: h2c")),
        ]

    static let expectations: [RequestVector] = [
        .taken(
            "RFC 9110 §10.1.1", "100-continue",
            head("Content-Length: 1", "Expect: 100-continue")
        ) {
            $0.body = .length(1)
            $0.expectsContinue = true
        },
        .taken(
            "RFC 9110 §10.1.1", "in other letters",
            head("Content-Length: 1", "Expect: 100-Continue")
        ) {
            $0.body = .length(1)
            $0.expectsContinue = true
        },
        .taken(
            "RFC 9110 §10.1.1", "before chunks",
            head("Transfer-Encoding: chunked", "Expect: 100-continue")
        ) {
            $0.body = .chunked
            $0.expectsContinue = true
        },
        .taken("RFC 9110 §10.1.1", "without a body", head("Expect: 100-continue")),
        .taken(
            "RFC 9110 §10.1.1", "before an empty body",
            head("Content-Length: 0", "Expect: 100-continue")
        ) { $0.body = .length(0) },
        .taken("RFC 9110 §10.1.1", "something else", head("Expect: 200-ok")) {
            $0.hasUnknownExpectation = true
        },
        .taken(
            "RFC 9110 §10.1.1", "something else on a second line",
            head("Content-Length: 1", "Expect: 100-continue", "Expect: tea")
        ) {
            $0.body = .length(1)
            $0.hasUnknownExpectation = true
        },
        .taken("RFC 9110 §10.1.1", "an empty list", head("Expect:")),
        .taken("RFC 9110 §5.6.1", "a list of nothing", head("Expect: , ,")),
        .taken(
            "RFC 9110 §5.6.1", "a list with empty elements",
            head("Content-Length: 1", "Expect: , 100-continue,")
        ) {
            $0.body = .length(1)
            $0.expectsContinue = true
        },
        .taken(
            "RFC 9110 §10.1.1", "something else in the list",
            head("Content-Length: 1", "Expect: 100-continue, tea")
        ) {
            $0.body = .length(1)
            $0.hasUnknownExpectation = true
        },
        .taken("RFC 9110 §10.1.1", "nothing of HTTP/1.0", old("Expect: 100-continue")) {
            $0.isHTTP10 = true
            $0.keepAlive = false
        },
    ]

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

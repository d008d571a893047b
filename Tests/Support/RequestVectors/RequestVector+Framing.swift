extension RequestVector {
    private static func post(_ lines: String...) -> String {
        (["POST / HTTP/1.1", "Host: a"] + lines).map { $0 + "\r\n" }.joined() + "\r\n"
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
            .refused(
                "RFC 9112 §6.3", "two lengths", post("Content-Length: 5", "Content-Length: 6")),
            .refused(
                "RFC 9112 §6.3", "the same length twice",
                post("Content-Length: 5", "Content-Length: 5")),
            .refused(
                "RFC 9112 §6.3", "lengths in other letters",
                post("Content-Length: 5", "CONTENT-LENGTH: 5")),
            .taken("RFC 9110 §8.6", "a body of GET", head("Content-Length: 2") + "{}") {
                $0.body = .length(2)
                $0.byteCountBehind = 2
            },
            .taken("RFC 9112 §6.3", "no framing is no body", post()) { $0.method = "POST" },
            .taken(
                "RFC 9112 §6.3", "a length in HTTP/1.0",
                "POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\n"
            ) {
                $0.method = "POST"
                $0.isHTTP10 = true
                $0.keepAlive = false
                $0.authority = ""
                $0.body = .length(5)
            },
            .taken(
                "RFC 9112 §9.3.2", "a second request behind the first",
                head() + "NOT A REQUEST\r\n\r\n"
            ) { $0.byteCountBehind = 17 },
            .taken("RFC 9110 §5.1", "a name that looks like a length", post("Content_Length: 5")) {
                $0.method = "POST"
            },
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
        + [
            .refused(
                "RFC 9112 §6.3", "a length and a coding",
                post("Content-Length: 5", "Transfer-Encoding: chunked")),
            .refused(
                "RFC 9112 §6.3", "a coding and a length",
                post("Transfer-Encoding: chunked", "Content-Length: 5")),
            .refused(
                "RFC 9112 §6.3", "a coding and a length of nothing",
                post("Transfer-Encoding: chunked", "Content-Length: 0")),
            .refused(
                "RFC 9112 §6.1", "a coding twice",
                post("Transfer-Encoding: chunked", "Transfer-Encoding: chunked")),
            .refused(
                "RFC 9112 §6.1", "a coding and identity",
                post("Transfer-Encoding: chunked", "Transfer-Encoding: identity")),
            .refused(
                "RFC 9112 §6.1", "a coding in HTTP/1.0",
                "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
            .refused(
                "RFC 9112 §6.1", "a vertical tab before chunked",
                post("Transfer-Encoding: \u{0B}chunked")),
            .taken(
                "RFC 9110 §5.1", "a name that looks like a coding",
                post("Transfer_Encoding: chunked", "Content-Length: 1")
            ) {
                $0.method = "POST"
                $0.body = .length(1)
            },
        ]
}

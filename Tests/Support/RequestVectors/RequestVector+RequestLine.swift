extension RequestVector {
    static let requestLines: [RequestVector] = [
        .taken("RFC 9112 §3", "a plain request", line("GET / HTTP/1.1")),
        .taken("RFC 9112 §2.2", "one empty line before it", "\r\n" + line("GET / HTTP/1.1")),
        .taken("RFC 9112 §2.2", "two empty lines before it", "\r\n\r\n" + line("GET / HTTP/1.1")),
        .refused(
            "RFC 9112 §2.2", "three empty lines before it",
            "\r\n\r\n\r\n" + line("GET / HTTP/1.1")),
        .refused("RFC 9112 §2.2", "a bare line feed before it", "\n" + line("GET / HTTP/1.1")),
        .refused("RFC 9112 §2.2", "a lone CR before it", "\r" + line("GET / HTTP/1.1")),
        .refused("RFC 9112 §3", "a space before it", line(" GET / HTTP/1.1")),
        .refused("RFC 9112 §3", "two spaces behind the method", line("GET  / HTTP/1.1")),
        .refused("RFC 9112 §3", "two spaces behind the target", line("GET /  HTTP/1.1")),
        .refused("RFC 9112 §3", "a space at the end", line("GET / HTTP/1.1 ")),
        .refused("RFC 9112 §3", "a tab for a space", line("GET\t/ HTTP/1.1")),
        .refused("RFC 9112 §3", "a tab before the version", line("GET /\tHTTP/1.1")),
        .refused("RFC 9112 §3", "a vertical tab for a space", line("GET\u{0B}/ HTTP/1.1")),
        .refused("RFC 9112 §3", "a form feed for a space", line("GET\u{0C}/ HTTP/1.1")),
        .refused("RFC 9112 §3", "a CR for a space", line("GET\r/ HTTP/1.1")),
        .refused("RFC 9112 §3", "no target", line("GET HTTP/1.1")),
        .refused("RFC 9112 §3", "an empty target", line("GET  HTTP/1.1")),
        .refused("RFC 9112 §3", "a space in the target", line("GET /a b HTTP/1.1")),
        .refused("RFC 9112 §3", "nothing but spaces", line("   ")),
        .refused("RFC 9112 §2.1", "a status line", line("HTTP/1.1 200 OK")),
        .refused("RFC 9112 §2", "a TLS hello", "\u{16}\u{03}\u{01}\u{02}\u{00}\n\r\n"),
        .refused("RFC 9112 §2", "a line of zeros", "\u{00}\u{00}\u{00}\u{00}\r\n\r\n"),
        .refused("RFC 9112 §2", "a byte-order mark", "\u{EF}\u{BB}\u{BF}" + line("GET / HTTP/1.1")),
    ]

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

    static let versions: [RequestVector] = [
        .taken("RFC 9112 §2.3", "HTTP/1.0", line("GET / HTTP/1.0")) {
            $0.isHTTP10 = true
            $0.keepAlive = false
        },
        .taken("RFC 9110 §2.5", "a later minor version", line("GET / HTTP/1.2")),
        .taken("RFC 9110 §2.5", "the last minor version", line("GET / HTTP/1.9")),
        .refused("RFC 9110 §15.6.6", "HTTP/2.0", line("GET / HTTP/2.0"), 505),
        .refused("RFC 9110 §15.6.6", "HTTP/0.9 by name", line("GET / HTTP/0.9"), 505),
        .refused("RFC 9110 §15.6.6", "HTTP/3.0", line("GET / HTTP/3.0"), 505),
        .refused(
            "RFC 9113 §3.4", "the preface of HTTP/2",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        .refused("RFC 1945 §4.1", "a simple request of HTTP/0.9", "GET /\r\n"),
        .refused("RFC 1945 §4.1", "one with a bare line feed", "GET /\n"),
        .refused("RFC 9112 §2.3", "no number", line("GET / HTTP/")),
        .refused("RFC 9112 §2.3", "no minor version", line("GET / HTTP/1")),
        .refused("RFC 9112 §2.3", "a dot too many", line("GET / HTTP/1.1.1")),
        .refused("RFC 9112 §2.3", "two digits", line("GET / HTTP/1.10")),
        .refused("RFC 9112 §2.3", "a leading zero", line("GET / HTTP/01.1")),
        .refused("RFC 9112 §2.3", "a comma for the dot", line("GET / HTTP/1,1")),
        .refused("RFC 9112 §2.3", "small letters", line("GET / http/1.1")),
        .refused("RFC 9112 §2.3", "another protocol", line("GET / HTCP/1.1")),
        .refused("RFC 9112 §2.3", "a space before the number", line("GET / HTTP/ 1.1")),
        .refused("RFC 9112 §2.3", "letters for digits", line("GET / HTTP/x.y")),
        .refused("RFC 9112 §2.3", "a sign", line("GET / HTTP/+1.1")),
        .refused("RFC 9112 §2.3", "a tab behind it", line("GET / HTTP/1.1\t")),
        .refused("RFC 9112 §2.3", "a word behind it", line("GET / HTTP/1.1 x")),
    ]
}

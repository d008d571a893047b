extension RequestVector {
    private static func path(_ name: String, _ path: String, query: String? = nil) -> RequestVector
    {
        let target = path + (query.map { "?" + $0 } ?? "")
        return .taken("RFC 9112 §3.2.1", name, line("GET \(target) HTTP/1.1")) {
            $0.path = path
            $0.query = query ?? ""
        }
    }

    private static func absolute(
        _ name: String, _ target: String, host: String, _ change: (inout Head) -> Void
    ) -> RequestVector {
        .taken(
            "RFC 9112 §3.2.2", name, "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
        ) {
            $0.authority = host
            change(&$0)
        }
    }

    static let targets: [RequestVector] = origins + badOrigins + absolutes + otherForms

    private static let origins: [RequestVector] = [
        path("a path", "/counter/sessions/demo"),
        path("a query", "/a", query: "b=c&d"),
        path("an empty query", "/a", query: ""),
        path("a question mark in the query", "/a", query: "b?c"),
        path("a slash in the query", "/", query: "a/b/c"),
        path("two slashes at the start", "//a"),
        path("dots are left to the application", "/a/../b/./c"),
        path("encoded slashes", "/a%2Fb%2fc"),
        path("an encoded zero", "/a%00"),
        path("an encoded line end", "/a%0D%0A"),
        path("encoded UTF-8", "/%C3%A4"),
        path("encoded bytes that are no UTF-8", "/%FF%FE"),
        path("marks of a segment", "/-._~!$&'()*+,;=:@"),
        path("brackets", "/a[1]", query: "b[]=1"),
        path("a URL in a query", "/a", query: "u=http://b/c"),
        path("what browsers leave bare in a query", "/a", query: "{\\}|^`"),
        path("a percent-encoded percent", "/%25"),
    ]

    private static let badOrigins: [RequestVector] =
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
        + [
            .refused("RFC 9112 §3.2.1", "no slash", line("GET a HTTP/1.1")),
            .refused("RFC 9112 §3.2.1", "a query alone", line("GET ?a HTTP/1.1")),
            .refused("RFC 9112 §3.2.1", "a backslash", line("GET \\a HTTP/1.1")),
            .refused("RFC 9112 §3.2.1", "a fragment alone", line("GET #a HTTP/1.1")),
        ]

    private static let absolutes: [RequestVector] = [
        absolute("a URL", "http://a/b?c", host: "a") {
            $0.path = "/b"
            $0.query = "c"
        },
        absolute("a URL of https", "https://a/b", host: "a") { $0.path = "/b" },
        absolute("a scheme in capitals", "HTTP://a/", host: "a") { _ in },
        absolute("a URL without a path", "http://a", host: "a") { $0.path = "" },
        absolute("a URL with a query and no path", "http://a?b", host: "a") {
            $0.path = ""
            $0.query = "b"
        },
        absolute("a URL with a port", "http://a:80/", host: "a:80") { _ in },
        absolute("a URL of an IPv6 host", "http://[::1]:8080/", host: "[::1]:8080") { _ in },
        .taken(
            "RFC 9112 §3.2.2", "the host in other letters",
            "GET http://EXAMPLE.org/ HTTP/1.1\r\nHost: example.ORG\r\n\r\n"
        ) { $0.authority = "EXAMPLE.org" },
        .taken("RFC 9112 §3.2.2", "a URL of another host", line("GET http://b/ HTTP/1.1")) {
            $0.authority = "b"
        },
        .taken("RFC 9112 §3.2.2", "a URL of another port", line("GET http://a:1/ HTTP/1.1")) {
            $0.authority = "a:1"
        },
        .refused(
            "RFC 9112 §3.2", "a URL, and two Hosts",
            "GET http://a/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        .refused(
            "RFC 9112 §3.2", "a URL, and a bad Host",
            "GET http://a/ HTTP/1.1\r\nHost: a b\r\n\r\n"),
        .refused(
            "RFC 9112 §3.2", "a URL, and an empty Host",
            "GET http://a/ HTTP/1.1\r\nHost:\r\n\r\n"),
        .taken(
            "RFC 9112 §3.2.2", "a URL without Host in HTTP/1.0", "GET http://b/ HTTP/1.0\r\n\r\n"
        ) {
            $0.authority = "b"
            $0.isHTTP10 = true
            $0.keepAlive = false
        },
        .refused("RFC 9112 §3.2.2", "a URL without a host", line("GET http:///b HTTP/1.1")),
        .refused("RFC 9112 §3.2.2", "a URL that ends early", line("GET http:// HTTP/1.1")),
        .refused("RFC 9110 §4.2.4", "user information", line("GET http://u@a/ HTTP/1.1")),
        .refused("RFC 9110 §4.2.4", "a password", line("GET http://u:p@a/ HTTP/1.1")),
        .refused("RFC 9112 §3.2.2", "another scheme", line("GET ftp://a/ HTTP/1.1")),
        .refused("RFC 9112 §3.2.2", "a file", line("GET file:///etc/passwd HTTP/1.1")),
        .refused("RFC 9112 §3.2.2", "one slash", line("GET http:/a HTTP/1.1")),
        .refused("RFC 9112 §3.2.2", "a fragment", line("GET http://a/#b HTTP/1.1")),
        .refused(
            "RFC 9112 §3.2.2", "a backslash behind the host", line("GET http://a\\b HTTP/1.1")),
        .refused("RFC 9112 §3.2", "a URL, and no Host", "GET http://a/ HTTP/1.1\r\n\r\n"),
    ]

    private static let otherForms: [RequestVector] = [
        .taken("RFC 9112 §3.2.4", "OPTIONS *", line("OPTIONS * HTTP/1.1")) {
            $0.method = "OPTIONS"
            $0.path = ""
        },
        .refused("RFC 9112 §3.2.4", "GET *", line("GET * HTTP/1.1")),
        .refused("RFC 9112 §3.2.4", "POST *", line("POST * HTTP/1.1")),
        .refused("RFC 9112 §3.2.4", "two asterisks", line("OPTIONS ** HTTP/1.1")),
        .refused("RFC 9112 §3.2.4", "an asterisk and a query", line("OPTIONS *?a HTTP/1.1")),
        .taken(
            "RFC 9112 §3.2.3", "CONNECT", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n"
        ) {
            $0.method = "CONNECT"
            $0.path = ""
            $0.authority = "a:443"
        },
        .taken("RFC 9112 §3.2.3", "CONNECT beside another Host", line("CONNECT b:1 HTTP/1.1")) {
            $0.method = "CONNECT"
            $0.path = ""
            $0.authority = "b:1"
        },
        .refused("RFC 9110 §9.3.6", "CONNECT without a port", line("CONNECT a HTTP/1.1")),
        .refused("RFC 9110 §9.3.6", "CONNECT with an empty port", line("CONNECT a: HTTP/1.1")),
        .refused("RFC 9112 §3.2.3", "CONNECT with a path", line("CONNECT /a HTTP/1.1")),
        .refused("RFC 9112 §3.2.3", "CONNECT with a URL", line("CONNECT http://a/ HTTP/1.1")),
        .refused("RFC 9112 §3.2.3", "GET with host and port", line("GET a:443 HTTP/1.1")),
    ]
}

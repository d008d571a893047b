extension RequestVector {
    /// Vectors of rows: where it is written, the case, the outcome, the request; and words, if any, for
    /// each of which the row counts once, with the word in place of every `•`.
    ///
    /// The outcome is the status of a refusal, `more` for what is not whole, or `ok` and what differs
    /// from `GET / HTTP/1.1` at the host `a`. A request without its last line end is followed by
    /// `Host: a` and the end; `+` stands for `GET / HTTP/1.1` and `Host: a` before the fields, `POST +`
    /// for the same of POST. A space in a word is written `\x20`, an empty word `\e`.
    private static func rows(_ text: String) -> [RequestVector] {
        text.split(separator: "\n").flatMap { row in
            let cells = row.split(separator: " | ", maxSplits: 4).map(String.init)
            let words = cells.count > 4 ? cells[4].split(separator: " ").map(String.init) : [""]
            return words.map { word in
                let cells = cells.map { $0.replacing("•", with: word) }
                let request = unescaped(cells[3])
                return RequestVector(
                    cells[0], cells[1], cells[2] == "more" ? request : whole(request),
                    expectation(cells[2]))
            }
        }
    }

    private static func whole(_ request: String) -> String {
        if request.hasPrefix("+ ") { return head(String(request.dropFirst(2))) }
        if request.hasPrefix("POST + ") { return post(String(request.dropFirst(7))) }
        return request.hasSuffix("\r\n") || request.hasSuffix("\n") ? request : line(request)
    }

    private static func unescaped(_ text: String) -> String {
        let parts = text.split(separator: "\\", omittingEmptySubsequences: false)
        return String(parts[0])
            + parts.dropFirst().map { part in
                switch part.first {
                case "r": "\r" + part.dropFirst()
                case "n": "\n" + part.dropFirst()
                case "t": "\t" + part.dropFirst()
                case "e": String(part.dropFirst())
                case "x":
                    String(
                        Character(Unicode.Scalar(UInt8(part.dropFirst().prefix(2), radix: 16) ?? 0))
                    )
                        + part.dropFirst(3)
                default: String(part)
                }
            }.joined()
    }

    private static func expectation(_ text: String) -> Expectation {
        if let status = Int(text) { return .refused(status) }
        if text == "more" { return .incomplete }
        var head = Head()
        for word in text.split(separator: " ").dropFirst() {
            let name = word.prefix { $0 != "=" }
            let value = String(word.dropFirst(name.count + 1))
            switch name {
            case "method": head.method = value
            case "path": head.path = value
            case "query": head.query = value
            case "host": head.authority = value
            case "length": head.body = Int(value).map { .length($0) } ?? .none
            case "chunked": head.body = .chunked
            case "closes": head.keepAlive = false
            case "continues": head.expectsContinue = true
            case "417": head.hasUnknownExpectation = true
            case "1.0": head.isHTTP10 = true
            case "behind": head.byteCountBehind = Int(value) ?? 0
            default: preconditionFailure("A row says \(word).")
            }
        }
        return .accepted(head)
    }

    static let listed = rows(
        #"""
        RFC 9112 §3 | a plain request | ok | GET / HTTP/1.1
        RFC 9112 §2.2 | one empty line before it | ok | \r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n
        RFC 9112 §2.2 | two empty lines before it | ok | \r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n
        RFC 9112 §2.2 | three empty lines before it | 400 | \r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n
        RFC 9112 §2.2 | a bare line feed before it | 400 | \nGET / HTTP/1.1
        RFC 9112 §2.2 | a lone CR before it | 400 | \rGET / HTTP/1.1
        RFC 9112 §3 | a space before it | 400 | \x20GET / HTTP/1.1
        RFC 9112 §3 | two spaces behind the method | 400 | GET  / HTTP/1.1
        RFC 9112 §3 | two spaces behind the target | 400 | GET /  HTTP/1.1
        RFC 9112 §3 | a space at the end | 400 | GET / HTTP/1.1\x20
        RFC 9112 §3 | a tab for a space | 400 | GET\t/ HTTP/1.1
        RFC 9112 §3 | a tab before the version | 400 | GET /\tHTTP/1.1
        RFC 9112 §3 | a vertical tab for a space | 400 | GET\x0b/ HTTP/1.1
        RFC 9112 §3 | a form feed for a space | 400 | GET\x0c/ HTTP/1.1
        RFC 9112 §3 | a CR for a space | 400 | GET\r/ HTTP/1.1
        RFC 9112 §3 | no target | 400 | GET HTTP/1.1
        RFC 9112 §3 | an empty target | 400 | GET  HTTP/1.1
        RFC 9112 §3 | a space in the target | 400 | GET /a b HTTP/1.1
        RFC 9112 §3 | nothing but spaces | 400 | \x20\x20\x20
        RFC 9112 §2.1 | a status line | 400 | HTTP/1.1 200 OK
        RFC 9112 §2 | a TLS hello | 400 | \x16\x03\x01\x02\x00\n\r\n
        RFC 9112 §2 | a line of zeros | 400 | \x00\x00\x00\x00\r\n\r\n
        RFC 9112 §2 | a byte-order mark | 400 | \xef\xbb\xbfGET / HTTP/1.1
        RFC 9112 §2.3 | HTTP/1.0 | ok closes 1.0 | GET / HTTP/1.0
        RFC 9110 §2.5 | a later minor version | ok | GET / HTTP/1.2
        RFC 9110 §2.5 | the last minor version | ok | GET / HTTP/1.9
        RFC 9110 §15.6.6 | HTTP/2.0 | 505 | GET / HTTP/2.0
        RFC 9110 §15.6.6 | HTTP/0.9 by name | 505 | GET / HTTP/0.9
        RFC 9110 §15.6.6 | HTTP/3.0 | 505 | GET / HTTP/3.0
        RFC 9113 §3.4 | the preface of HTTP/2 | 505 | PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n
        RFC 1945 §4.1 | a simple request of HTTP/0.9 | 400 | GET /\r\n
        RFC 1945 §4.1 | one with a bare line feed | 400 | GET /\n
        RFC 9112 §2.3 | no number | 400 | GET / HTTP/
        RFC 9112 §2.3 | no minor version | 400 | GET / HTTP/1
        RFC 9112 §2.3 | a dot too many | 400 | GET / HTTP/1.1.1
        RFC 9112 §2.3 | two digits | 400 | GET / HTTP/1.10
        RFC 9112 §2.3 | a leading zero | 400 | GET / HTTP/01.1
        RFC 9112 §2.3 | a comma for the dot | 400 | GET / HTTP/1,1
        RFC 9112 §2.3 | small letters | 400 | GET / http/1.1
        RFC 9112 §2.3 | another protocol | 400 | GET / HTCP/1.1
        RFC 9112 §2.3 | a space before the number | 400 | GET / HTTP/ 1.1
        RFC 9112 §2.3 | letters for digits | 400 | GET / HTTP/x.y
        RFC 9112 §2.3 | a sign | 400 | GET / HTTP/+1.1
        RFC 9112 §2.3 | a tab behind it | 400 | GET / HTTP/1.1\t
        RFC 9112 §2.3 | a word behind it | 400 | GET / HTTP/1.1 x
        RFC 9112 §3.2.1 | a path | ok path=/counter/sessions/demo | GET /counter/sessions/demo HTTP/1.1
        RFC 9112 §3.2.1 | a query | ok path=/a query=b=c&d | GET /a?b=c&d HTTP/1.1
        RFC 9112 §3.2.1 | an empty query | ok path=/a | GET /a? HTTP/1.1
        RFC 9112 §3.2.1 | a question mark in the query | ok path=/a query=b?c | GET /a?b?c HTTP/1.1
        RFC 9112 §3.2.1 | a slash in the query | ok query=a/b/c | GET /?a/b/c HTTP/1.1
        RFC 9112 §3.2.1 | two slashes at the start | ok path=//a | GET //a HTTP/1.1
        RFC 9112 §3.2.1 | dots are left to the application | ok path=/a/../b/./c | GET /a/../b/./c HTTP/1.1
        RFC 9112 §3.2.1 | encoded slashes | ok path=/a%2Fb%2fc | GET /a%2Fb%2fc HTTP/1.1
        RFC 9112 §3.2.1 | an encoded zero | ok path=/a%00 | GET /a%00 HTTP/1.1
        RFC 9112 §3.2.1 | an encoded line end | ok path=/a%0D%0A | GET /a%0D%0A HTTP/1.1
        RFC 9112 §3.2.1 | encoded UTF-8 | ok path=/%C3%A4 | GET /%C3%A4 HTTP/1.1
        RFC 9112 §3.2.1 | encoded bytes that are no UTF-8 | ok path=/%FF%FE | GET /%FF%FE HTTP/1.1
        RFC 9112 §3.2.1 | marks of a segment | ok path=/-._~!$&'()*+,;=:@ | GET /-._~!$&'()*+,;=:@ HTTP/1.1
        RFC 9112 §3.2.1 | brackets | ok path=/a[1] query=b[]=1 | GET /a[1]?b[]=1 HTTP/1.1
        RFC 9112 §3.2.1 | a URL in a query | ok path=/a query=u=http://b/c | GET /a?u=http://b/c HTTP/1.1
        RFC 9112 §3.2.1 | what browsers leave bare in a query | ok path=/a query={\}|^` | GET /a?{\x5c}|^` HTTP/1.1
        RFC 9112 §3.2.1 | a percent-encoded percent | ok path=/%25 | GET /%25 HTTP/1.1
        RFC 9112 §3.2.1 | no slash | 400 | GET a HTTP/1.1
        RFC 9112 §3.2.1 | a query alone | 400 | GET ?a HTTP/1.1
        RFC 9112 §3.2.1 | a backslash | 400 | GET \x5ca HTTP/1.1
        RFC 9112 §3.2.1 | a fragment alone | 400 | GET #a HTTP/1.1
        RFC 9112 §3.2.2 | a URL | ok path=/b query=c | GET http://a/b?c HTTP/1.1
        RFC 9112 §3.2.2 | a URL of https | ok path=/b | GET https://a/b HTTP/1.1
        RFC 9112 §3.2.2 | a scheme in capitals | ok | GET HTTP://a/ HTTP/1.1
        RFC 9112 §3.2.2 | a URL without a path | ok path= | GET http://a HTTP/1.1
        RFC 9112 §3.2.2 | a URL with a query and no path | ok path= query=b | GET http://a?b HTTP/1.1
        RFC 9112 §3.2.2 | a URL with a port | ok host=a:80 | GET http://a:80/ HTTP/1.1\r\nHost: a:80\r\n\r\n
        RFC 9112 §3.2.2 | a URL of an IPv6 host | ok host=[::1]:8080 | GET http://[::1]:8080/ HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n
        RFC 9112 §3.2.2 | the host in other letters | ok host=EXAMPLE.org | GET http://EXAMPLE.org/ HTTP/1.1\r\nHost: example.ORG\r\n\r\n
        RFC 9112 §3.2.2 | a URL of another host | ok host=b | GET http://b/ HTTP/1.1
        RFC 9112 §3.2.2 | a URL of another port | ok host=a:1 | GET http://a:1/ HTTP/1.1
        RFC 9112 §3.2 | a URL, and two Hosts | 400 | GET http://a/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n
        RFC 9112 §3.2 | a URL, and a bad Host | 400 | GET http://a/ HTTP/1.1\r\nHost: a b\r\n\r\n
        RFC 9112 §3.2 | a URL, and an empty Host | 400 | GET http://a/ HTTP/1.1\r\nHost:\r\n\r\n
        RFC 9112 §3.2.2 | a URL without Host in HTTP/1.0 | ok host=b closes 1.0 | GET http://b/ HTTP/1.0\r\n\r\n
        RFC 9112 §3.2.2 | a URL without a host | 400 | GET http:///b HTTP/1.1
        RFC 9112 §3.2.2 | a URL that ends early | 400 | GET http:// HTTP/1.1
        RFC 9110 §4.2.4 | user information | 400 | GET http://u@a/ HTTP/1.1
        RFC 9110 §4.2.4 | a password | 400 | GET http://u:p@a/ HTTP/1.1
        RFC 9112 §3.2.2 | another scheme | 400 | GET ftp://a/ HTTP/1.1
        RFC 9112 §3.2.2 | a file | 400 | GET file:///etc/passwd HTTP/1.1
        RFC 9112 §3.2.2 | one slash | 400 | GET http:/a HTTP/1.1
        RFC 9112 §3.2.2 | a fragment | 400 | GET http://a/#b HTTP/1.1
        RFC 9112 §3.2.2 | a backslash behind the host | 400 | GET http://a\x5cb HTTP/1.1
        RFC 9112 §3.2 | a URL, and no Host | 400 | GET http://a/ HTTP/1.1\r\n\r\n
        RFC 9112 §3.2.4 | OPTIONS * | ok method=OPTIONS path= | OPTIONS * HTTP/1.1
        RFC 9112 §3.2.4 | GET * | 400 | GET * HTTP/1.1
        RFC 9112 §3.2.4 | POST * | 400 | POST * HTTP/1.1
        RFC 9112 §3.2.4 | two asterisks | 400 | OPTIONS ** HTTP/1.1
        RFC 9112 §3.2.4 | an asterisk and a query | 400 | OPTIONS *?a HTTP/1.1
        RFC 9112 §3.2.3 | CONNECT | ok method=CONNECT path= host=a:443 | CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n
        RFC 9112 §3.2.3 | CONNECT beside another Host | ok method=CONNECT path= host=b:1 | CONNECT b:1 HTTP/1.1
        RFC 9110 §9.3.6 | CONNECT without a port | 400 | CONNECT a HTTP/1.1
        RFC 9110 §9.3.6 | CONNECT with an empty port | 400 | CONNECT a: HTTP/1.1
        RFC 9112 §3.2.3 | CONNECT with a path | 400 | CONNECT /a HTTP/1.1
        RFC 9112 §3.2.3 | CONNECT with a URL | 400 | CONNECT http://a/ HTTP/1.1
        RFC 9112 §3.2.3 | GET with host and port | 400 | GET a:443 HTTP/1.1
        RFC 9112 §3.2 | no Host | 400 | GET / HTTP/1.1\r\n\r\n
        RFC 9112 §3.2 | no Host but others | 400 | GET / HTTP/1.1\r\nA: b\r\n\r\n
        RFC 9112 §3.2 | two Hosts | 400 | + Host: b
        RFC 9112 §3.2 | the same Host twice | 400 | + Host: a
        RFC 9112 §3.2 | a second Host in other letters | 400 | + hOST: a
        RFC 9112 §3.2 | a second Host behind others | 400 | + A: b\r\nHost: a
        RFC 9112 §3.2 | HTTP/1.0 without Host | ok host= closes 1.0 | GET / HTTP/1.0\r\n\r\n
        RFC 9112 §3.2 | HTTP/1.0 with two Hosts | 400 | GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n
        RFC 9110 §5.6.2 | all marks of a token | ok | + !#$%&'*+-.^_`|~09azAZ: b
        RFC 9110 §5.1 | a name of one byte | ok | + x: b
        RFC 9110 §5.1 | a name of digits | ok | + 0: b
        RFC 9112 §5.1 | a space before the colon | 400 | + A : b
        RFC 9112 §5.1 | a tab before the colon | 400 | + A\t: b
        RFC 9112 §5.1 | a space before the colon of a length | 400 | POST + Content-Length : 5
        RFC 9112 §5.1 | a space before the colon of a coding | 400 | POST + Transfer-Encoding : chunked
        RFC 9112 §5.1 | no name | 400 | + : b
        RFC 9112 §5.1 | no colon | 400 | + Ab
        RFC 9112 §5.2 | a folded line | 400 | + A: b\r\n c
        RFC 9112 §5.2 | a line folded by a tab | 400 | + A: b\r\n\tc
        RFC 9112 §2.2 | white space before the first field | 400 | GET / HTTP/1.1\r\n Host: a\r\n\r\n
        RFC 9112 §5.2 | a folded coding | 400 | POST + Transfer-Encoding:\r\n chunked
        RFC 9112 §5.2 | a line of one space | 400 | + A: b\r\n\x20
        RFC 9112 §2.2 | line feeds alone | 400 | GET / HTTP/1.1\nHost: a\n\n
        RFC 9112 §2.2 | one behind a field | 400 | GET / HTTP/1.1\r\nHost: a\n\r\n
        RFC 9112 §2.2 | one behind a field, and no more | 400 | GET / HTTP/1.1\r\nHost: a\n
        RFC 9112 §2.2 | one behind the version | 400 | GET / HTTP/1.1\nHost: a\r\n\r\n
        RFC 9112 §2.2 | one at the end | 400 | GET / HTTP/1.1\r\nHost: a\r\n\n
        RFC 9112 §2.2 | a CR too many | 400 | GET / HTTP/1.1\r\nHost: a\r\r\n\r\n
        RFC 9112 §2.2 | a CR alone | 400 | GET / HTTP/1.1\r\nHost: a\rB: c\r\n\r\n
        RFC 9112 §2.2 | a CR alone at the end | 400 | GET / HTTP/1.1\r\nHost: a\r\n\rX\r\n
        RFC 9112 §2.2 | a CR in the version | 400 | GET / HTTP/1.1\r\rHost: a\r\n\r\n
        RFC 9112 §2.2 | a field smuggled behind a line feed | 400 | + A: b\nTransfer-Encoding: chunked
        RFC 9112 §6.3 | two lengths | 400 | POST + Content-Length: 5\r\nContent-Length: 6
        RFC 9112 §6.3 | the same length twice | 400 | POST + Content-Length: 5\r\nContent-Length: 5
        RFC 9112 §6.3 | lengths in other letters | 400 | POST + Content-Length: 5\r\nCONTENT-LENGTH: 5
        RFC 9112 §6.3 | no framing is no body | ok method=POST | POST / HTTP/1.1
        RFC 9112 §6.3 | a length in HTTP/1.0 | ok method=POST host= length=5 closes 1.0 | POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\n
        RFC 9112 §9.3.2 | a second request behind the first | ok behind=17 | + \r\nNOT A REQUEST
        RFC 9110 §5.1 | a name that looks like a length | ok method=POST | POST + Content_Length: 5
        RFC 9112 §6.3 | a length and a coding | 400 | POST + Content-Length: 5\r\nTransfer-Encoding: chunked
        RFC 9112 §6.3 | a coding and a length | 400 | POST + Transfer-Encoding: chunked\r\nContent-Length: 5
        RFC 9112 §6.3 | a coding and a length of nothing | 400 | POST + Transfer-Encoding: chunked\r\nContent-Length: 0
        RFC 9112 §6.1 | a coding twice | 400 | POST + Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked
        RFC 9112 §6.1 | a coding and identity | 400 | POST + Transfer-Encoding: chunked\r\nTransfer-Encoding: identity
        RFC 9112 §6.1 | a coding in HTTP/1.0 | 400 | POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n
        RFC 9112 §6.1 | a vertical tab before chunked | 400 | POST + Transfer-Encoding: \x0bchunked
        RFC 9110 §5.1 | a name that looks like a coding | ok method=POST length=1 | POST + Transfer_Encoding: chunked\r\nContent-Length: 1
        RFC 9110 §5.3 | close on a second line | ok closes | + Connection: keep-alive\r\nConnection: close
        RFC 9112 §9.3 | HTTP/1.0 keeps alive on demand | ok 1.0 | GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n
        RFC 9112 §9.3 | in other letters | ok 1.0 | GET / HTTP/1.0\r\nHost: a\r\nConnection: Keep-Alive\r\n\r\n
        RFC 9112 §9.3 | HTTP/1.0 with both options | ok closes 1.0 | GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive, close\r\n\r\n
        RFC 9112 §9.3 | HTTP/1.0 with another option | ok closes 1.0 | GET / HTTP/1.0\r\nHost: a\r\nConnection: te\r\n\r\n
        RFC 9110 §7.8 | an upgrade is not taken up | ok | + Connection: upgrade\r\nUpgrade: h2c
        RFC 9110 §10.1.1 | 100-continue | ok length=1 continues | + Content-Length: 1\r\nExpect: 100-continue
        RFC 9110 §10.1.1 | in other letters | ok length=1 continues | + Content-Length: 1\r\nExpect: 100-Continue
        RFC 9110 §10.1.1 | before chunks | ok chunked continues | + Transfer-Encoding: chunked\r\nExpect: 100-continue
        RFC 9110 §10.1.1 | without a body | ok | + Expect: 100-continue
        RFC 9110 §10.1.1 | before an empty body | ok length=0 | + Content-Length: 0\r\nExpect: 100-continue
        RFC 9110 §10.1.1 | something else | ok 417 | + Expect: 200-ok
        RFC 9110 §10.1.1 | something else on a second line | ok length=1 417 | + Content-Length: 1\r\nExpect: 100-continue\r\nExpect: tea
        RFC 9110 §10.1.1 | an empty list | ok | + Expect:
        RFC 9110 §5.6.1 | a list of nothing | ok | + Expect: , ,
        RFC 9110 §5.6.1 | a list with empty elements | ok length=1 continues | + Content-Length: 1\r\nExpect: , 100-continue,
        RFC 9110 §10.1.1 | something else in the list | ok length=1 417 | + Content-Length: 1\r\nExpect: 100-continue, tea
        RFC 9110 §10.1.1 | nothing of HTTP/1.0 | ok closes 1.0 | GET / HTTP/1.0\r\nHost: a\r\nExpect: 100-continue\r\n\r\n
        RFC 9110 §9.3 | the method • | ok method=• | • / HTTP/1.1 | HEAD POST PUT DELETE OPTIONS PATCH TRACE
        RFC 9110 §9.1 | the method • | ok method=• | • / HTTP/1.1 | get Get GETS GE PROPFIND M-SEARCH A!#$%&'*+-.^_`|~9
        RFC 9110 §5.6.2 | the byte • in a method | 400 | G•T / HTTP/1.1 | " ( ) , / : ; < = > ? @ [ \x5c ] { } \x00 \x1f \x7f \x80 \xff
        RFC 9110 §9.1 | a method of 32 bytes | ok method=• | • / HTTP/1.1 | MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM
        RFC 9110 §9.1 | a method of 33 bytes | 400 | • / HTTP/1.1 | MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM
        RFC 3986 §2.1 | the escape • | 400 | GET /• HTTP/1.1 | % %4 %G0 %0G %%20 %\x2020 %u0041
        RFC 3986 §2.1 | the escape • in a query | 400 | GET /?• HTTP/1.1 | % a=%1
        RFC 3986 §3.3 | the mark • in a path | 400 | GET /• HTTP/1.1 | " < > \x5c ^ ` { | } #
        RFC 3986 §3.4 | the mark • in a query | 400 | GET /?• HTTP/1.1 | " < > #
        RFC 9112 §3.2 | the byte • in a target | 400 | GET /• HTTP/1.1 | \x00 \x01 \x0b \x1f \x7f \x80 \xc3 \xa4 \xff
        RFC 9110 §7.2 | the host • | ok host=• | GET / HTTP/1.1\r\nHost: •\r\n\r\n | a localhost:8080 127.0.0.1:80 [::1] [::1]:443 a.b-c.d [::ffff:1.2.3.4] a: a:65535 xn--bcher-kva.example a_b a.
        RFC 9110 §7.2 | a host, the field written • | ok | GET / HTTP/1.1\r\nHost:•\r\n\r\n | a \ta\t
        RFC 9112 §3.2 | no host at all | 400 | GET / HTTP/1.1\r\nHost:\r\n\r\n
        RFC 9112 §3.2 | the host • | 400 | GET / HTTP/1.1\r\nHost: •\r\n\r\n | \e a\x20b a,b a,\x20a u@a http://a a/b a:b a:65536 a:123456 a:-1 a:80:80 :80 [::1 ::1 [::1]a [] [:]a [g::1] a\x5cb a?b a#b "a" \xe4 a\tb %61 a;b *
        RFC 9110 §5.1 | the byte • in a name | 400 | + A•B: c | " ( ) , / ; < = > ? @ [ \x5c ] { } \x20 \t \x00 \x0b \r \x1f \x7f \x80 \xff
        RFC 9110 §5.5 | the field • | ok | + • | A: A:\x20 A:\t\x20\t A:b A:\x20b\x20 A:\x20b:c A:\x20b\tc A:\x20\x80\xff A:\x20\xc3\xa4 A:\x20"b,\x20c" A:\x20b,\x20,\x20c Accept:\x20*/* Cookie:\x20a=b;\x20c=d A:\x20!"#$%&'()*+,-./:;<=>?@[\x5c]^_`{|}~
        RFC 9110 §5.5 | the byte • in a value | 400 | + A: b•c | \x00 \x01 \x02 \x03 \x04 \x05 \x06 \x07 \x08 \x0b \x0c \x0d \x0e \x0f \x10 \x11 \x12 \x13 \x14 \x15 \x16 \x17 \x18 \x19 \x1a \x1b \x1c \x1d \x1e \x1f \x7f
        RFC 9110 §5.3 | two of • | 400 | + •: b\r\n•: b | Content-Type Origin Sec-Fetch-Site Last-Event-ID Idempotency-Key Authorization If-Modified-Since If-Unmodified-Since If-Range Range
        RFC 9110 §5.3 | two of • | ok | + •: b\r\n•: c | Accept Accept-Encoding If-Match If-None-Match Prefer Cookie A Connection
        RFC 9110 §8.6 | the length • | ok method=POST length=• | POST + Content-Length: • | 0 5 00005 1048576 0000000000000000000000000000000000000007 9223372036854775807
        RFC 9110 §8.6 | a length between white space | ok method=POST length=5 | POST + Content-Length: \x205\t
        RFC 9112 §6.3 | the length • | 400 | POST + Content-Length: • | \e \x20 +5 -5 -0 5,5 5,\x205 5\x205 5.0 5e0 0x5 0b1 five 5; "5" 5\xa0 \xb2 5a a5 1_000 ,5 5, \xd9\xa5
        RFC 9110 §8.6 | the length • | 413 | POST + Content-Length: • | 9223372036854775808 18446744073709551617
        RFC 9110 §8.6 | a body of GET | ok length=2 behind=6 | + Content-Length: 2\r\n\r\n{}
        RFC 9112 §7.1 | the coding • | ok method=POST chunked | POST + Transfer-Encoding:• | chunked CHUNKED Chunked \tchunked\x20
        RFC 9112 §6.1 | the codings • | 501 | POST + Transfer-Encoding: • | gzip,\x20chunked gzip,chunked deflate,\x20gzip,\x20chunked identity,\x20chunked
        RFC 9112 §6.1 | the coding • | 400 | POST + Transfer-Encoding: • | \e identity gzip chunked,\x20gzip chunked,\x20chunked chunked, ,\x20chunked ,chunked xchunked chunkedx chunke "chunked" chunked;q=1 chunked;\x20a chunked\x20gzip gzip\x20chunked chunked\xa0 \xa0chunked x\x20y,\x20chunked chunked,\x20gzip,\x20chunked gzip;,\x20chunked chunked\tx 'chunked'
        RFC 9112 §9.6 | Connection: • | ok closes | + Connection: • | close Close CLOSE keep-alive,\x20close close,\x20keep-alive a,close,b ,\x20close upgrade,close\x20,
        RFC 9112 §9.3 | Connection: • | ok | + Connection: • | keep-alive \e upgrade closed not-close te close-not
        RFC 9112 §8 | no more than • | more | • | \e \r \r\n \r\n\r\n G GET GET\x20 GET\x20/ GET\x20/\x20 GET\x20\x00 HTTP
        RFC 9112 §8 | no more of a line than • | more | GET / HTTP/• | 1.1 1.1\r 1.1\r\n 2.0
        RFC 9112 §8 | no more of a head than • | more | GET / HTTP/1.1\r\nHost• | \e : :\x20a :\x20a\r :\x20a\r\n :\x20a\r\n\r :\x20a\r\nContent-Length:\x20x
        """#)
}

import HTTPMessages
import HTTPServer
import Testing

@testable import Statecast

@Suite struct `The gate` {
    private func gate(
        publicOrigin: String? = nil, hosts: [String] = [], cors: CORS? = nil,
        bindHost: String = "127.0.0.1", isInsecure: Bool = false
    ) throws -> RequestGate {
        var configuration = ServerConfiguration()
        configuration.publicOrigin = publicOrigin
        configuration.allowedHosts = hosts
        configuration.cors = cors
        configuration.host = bindHost
        configuration.isInsecure = isInsecure
        return try RequestGate(
            configuration, [], ServerLifecycle(configuration, RouteTable(), []))
    }

    /// The code of the refusal, or `passes`.
    private func verdict(
        _ gate: RequestGate, _ method: String, _ fields: [String: String],
        version: String = "1.1"
    ) throws -> String {
        let lines = fields.map { "\($0.key): \($0.value)\r\n" }.joined()
        let bytes = Array("\(method) /counter/sessions HTTP/\(version)\r\n\(lines)\r\n".utf8)
        var parser = RequestParser(limits: RequestLimits())
        #expect(try parser.parse(bytes.span), "a head")
        return gate.refusal(parser.head, in: bytes.span)?.code ?? "passes"
    }

    @Test(arguments: [
        ("127.0.0.1:8080", "passes"), ("localhost", "passes"), ("LOCALHOST:1", "passes"),
        ("[::1]:8080", "passes"), ("evil.example", "unknown-host"),
        ("127.0.0.1.evil.example", "unknown-host"), ("localhostx", "unknown-host"),
    ])
    func `answers to the machine's own names only`(host: String, expected: String) throws {
        #expect(try verdict(gate(), "GET", ["Host": host]) == expected)
    }

    @Test func `answers HTTP/1.0 without a name, which no browser sends`() throws {
        #expect(try verdict(gate(), "GET", [:], version: "1.0") == "passes")
        #expect(try verdict(gate(), "GET", ["Host": "a.b"], version: "1.0") == "unknown-host")
    }

    @Test func `answers to the names that it was given`() throws {
        let known = try gate(publicOrigin: "https://example.org", hosts: ["server"])
        #expect(try verdict(known, "GET", ["Host": "example.org"]) == "passes")
        #expect(try verdict(known, "GET", ["Host": "server:8080"]) == "passes")
        #expect(try verdict(known, "GET", ["Host": "other.org"]) == "unknown-host")
        let listed = try gate(hosts: ["server"], bindHost: "0.0.0.0", isInsecure: true)
        #expect(try verdict(listed, "GET", ["Host": "anything"]) == "unknown-host")
    }

    @Test(arguments: [
        ("192.168.1.7:8080", "passes"), ("[2001:db8::7]:8080", "passes"), ("localhost", "passes"),
        ("evil.example", "unknown-host"), ("192.168.1.7.evil.example", "unknown-host"),
        ("192.168.1", "unknown-host"), ("1.2.3.4.5", "unknown-host"),
        ("0x7f.1", "unknown-host"),
    ])
    func `answers to addresses where anybody may ask, which no page can have rebound`(
        host: String, expected: String
    ) throws {
        let open = try gate(bindHost: "0.0.0.0", isInsecure: true)
        #expect(try verdict(open, "GET", ["Host": host]) == expected)
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080", "passes"), ("https://127.0.0.1:8080", "passes"),
        ("http://127.0.0.1:8081", "cross-origin"), ("http://localhost:8080", "cross-origin"),
        ("null", "cross-origin"), ("https://evil.example", "cross-origin"),
        ("https://pages.example", "passes"), ("https://PAGES.example", "cross-origin"),
        ("https://pages.example:444", "cross-origin"), ("http://pages.example", "cross-origin"),
        ("https://pages.example.evil.example", "cross-origin"),
        ("https://Shown.example", "passes"),
    ])
    func `lets pages of its own and of allowed origins change something`(
        origin: String, expected: String
    ) throws {
        let gate = try gate(
            publicOrigin: "https://shown.example", cors: CORS(origins: ["https://pages.example"]))
        let fields = ["Host": "127.0.0.1:8080", "Origin": origin]
        for method in ["POST", "PUT", "DELETE"] {
            #expect(try verdict(gate, method, fields) == expected)
        }
        #expect(try verdict(gate, "GET", fields) == "passes")
    }

    @Test(arguments: [
        (false, "https://pages.example", "cross-origin"), (true, "https://pages.example", "passes"),
        (false, "http://127.0.0.1:8080", "passes"),
    ])
    func `takes a cookie from an allowed origin only where credentials are allowed`(
        allowsCredentials: Bool, origin: String, expected: String
    ) throws {
        let cors = CORS(
            origins: ["https://pages.example"], allowsCredentials: allowsCredentials)
        let fields = ["Host": "127.0.0.1:8080", "Origin": origin, "Cookie": "who=alice"]
        #expect(try verdict(gate(cors: cors), "POST", fields) == expected)
    }

    @Test(arguments: [("https://any.example", "passes"), ("null", "cross-origin")])
    func `lets any page but those in a sandbox change something where all origins are allowed`(
        origin: String, expected: String
    ) throws {
        let fields = ["Host": "127.0.0.1:8080", "Origin": origin]
        #expect(try verdict(gate(cors: CORS(origins: ["*"])), "POST", fields) == expected)
    }

    @Test(arguments: [
        ("same-origin", "passes"), ("none", "passes"), ("same-site", "cross-origin"),
        ("cross-site", "cross-origin"),
    ])
    func `looks at where a browser's request comes from`(
        site: String, expected: String
    ) throws {
        let fields = ["Host": "localhost", "Sec-Fetch-Site": site]
        #expect(try verdict(gate(), "POST", fields) == expected)
        #expect(try verdict(gate(), "GET", fields) == "passes")
    }
}

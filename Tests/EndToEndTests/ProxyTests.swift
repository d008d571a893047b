import Foundation
import FoundationNetworking
import TemporaryFolder
import Testing

@Suite(.serialized) struct `Behind Caddy` {
    /// Runs the proxy as it is shipped, under two names, with a session made through it.
    private func withProxy(
        _ body: (_ port: Int, _ session: String, _ home: TemporaryFolder) throws -> Void
    ) throws {
        let server = try StatecastServer(["--public-origin", "https://localhost"])
        let port = try FreePort.any()
        let home = TemporaryFolder()
        let caddy = try RunningProcess.caddy(
            [
                "SITE_ADDRESS": "https://localhost:\(port), https://statecast.test:\(port)",
                "SERVER_ADDRESS": "127.0.0.1:\(server.port)",
            ], home: home.path)
        defer { caddy.killNow() }
        let session = "https://localhost:\(port)/counter/sessions/proxied"
        let patience = ["-k", "--retry", "40", "--retry-all-errors", "--retry-delay", "1"]
        let (made, _) = try Curl.exchange(patience + ["-X", "PUT", session])
        #expect(made.statusCode == 201 || made.statusCode == 200)
        try body(port, session, home)
    }

    @Test func `streams arrive unbuffered over TLS and HTTP 2`() throws {
        try withProxy { _, session, _ in
            let curl = try CurlStream(session + "/events", ["-k", "--http2"])
            _ = try curl.state { $0["count"] as? Int == 0 }
            let (posted, _) = try Curl.exchange([
                "-k", "-X", "POST", "-H", "Content-Type: application/json", "-H",
                "Origin: https://localhost", "-d",
                "{\"type\":\"incremented\",\"payload\":{\"by\":4}}", session + "/actions",
            ])
            #expect(posted.statusCode == 200)
            _ = try curl.state { $0["count"] as? Int == 4 }
        }
    }

    @Test func `counters stay inside, large bodies outside, browsers and commands with TLS`() throws
    {
        try withProxy { port, session, home in
            // The proxy's own authority is nobody's, unless it is named.
            let doubted = try Products.run(["state", session])
            #expect(doubted.status == 69 && doubted.errors.contains("certificate"))
            let authority = "\(home.path)/caddy/pki/authorities/local/root.crt"
            let trusted = try Products.run(["state", session, "--ca-file", authority])
            #expect(trusted.status == 0 && trusted.output.contains(#""count":"#), "\(trusted)")
            let absent = try Products.run(["state", session, "--ca-file", "\(home.path)/none"])
            #expect(absent.status == 66)

            for path in ["/metrics", "/%6Detrics"] {
                let (hidden, _) = try Curl.exchange(["-k", "https://localhost:\(port)\(path)"])
                #expect(hidden.statusCode == 404)
            }
            let folder = try TemporaryFolder(["body": String(repeating: " ", count: 3_000_000)])
            // The proxy may reset the stream while the body is still on its way, and the answer is
            // lost with it (RFC 9113 §8.1): then the request is sent again.
            var refused: HTTPURLResponse?
            for _ in 1...5 where refused == nil {
                refused = try? Curl.exchange([
                    "-k", "-X", "POST", "-H", "Content-Type: application/json", "--data-binary",
                    "@\(folder.path)/body", session + "/actions",
                ]).0
            }
            #expect(refused?.statusCode == 413)
            // Said for localhost, it would hold for every port of a developer's machine.
            let field = "Strict-Transport-Security"
            let (shown, _) = try Curl.exchange(["-k", session + "/state"])
            #expect(shown.statusCode == 200 && shown.value(forHTTPHeaderField: field) == nil)
            let name = "statecast.test:\(port)"
            let (named, _) = try Curl.exchange([
                "-k", "--resolve", "\(name):127.0.0.1", "https://\(name)/livez",
            ])
            #expect(named.value(forHTTPHeaderField: field) != nil)
        }
    }
}

extension RunningProcess {
    /// Caddy as it is shipped, with what it keeps in a folder.
    static func caddy(_ environment: [String: String], home: String) throws -> RunningProcess {
        let file = Products.root.appending(path: ".caddy/Caddyfile")
        let places = ["HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home]
        return try RunningProcess(
            URL(filePath: "/usr/bin/caddy"),
            ["run", "--config", file.path, "--adapter", "caddyfile"],
            environment: environment.merging(places) { $1 })
    }
}

/// A port that nobody listens on.
enum FreePort {
    static func any() throws -> Int {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(number) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(number, $0, size) == 0 && getsockname(number, $0, &size) == 0
            }
        }
        guard bound else { throw CocoaError(.featureUnsupported) }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

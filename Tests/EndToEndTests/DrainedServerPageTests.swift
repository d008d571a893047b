import Foundation
import FoundationNetworking
import PostgreSQLServer
import TemporaryFolder
import Testing

/// Two servers that share a database, behind the proxy as it is shipped: one address for pages.
private final class DrainedServers {
    private static let programs = ["/usr/bin/caddy", "/usr/bin/chromedriver"]
    /// The tests are skipped where something is not installed; never in CI.
    static let areThere =
        PostgreSQLServer.isThere
        && (programs.allSatisfy(FileManager.default.isExecutableFile(atPath:))
            || ProcessInfo.processInfo.environment["CI"] == "true")

    private let folder = TemporaryFolder()
    private let journal: String
    private let servers: [StatecastServer]
    private let proxy: RunningProcess
    let base: String

    init() throws {
        try folder.write("cluster.key", Array(1...16), mode: 0o600)
        let (place, journal) = (folder.path, try PostgreSQLServer.shared().makeDatabase())
        self.journal = journal
        servers = try (0..<2).map { number in
            try StatecastServer(
                [
                    "--key-file", "\(place)/key", "--cluster-key-file", "\(place)/cluster.key",
                    "--cluster-listen", "127.0.0.\(number + 2):0",
                ], journal: journal)
        }
        base = "http://localhost:\(try FreePort.any())"
        proxy = try RunningProcess(
            URL(filePath: Self.programs[0]),
            [
                "run", "--config", Products.root.appending(path: ".caddy/Caddyfile").path,
                "--adapter", "caddyfile",
            ],
            environment: [
                "SITE_ADDRESS": base, "HOME": place, "XDG_DATA_HOME": place,
                "SERVER_ADDRESS": servers.map { "127.0.0.1:\($0.port)" }.joined(separator: " "),
                "SERVERS": "several", "XDG_CONFIG_HOME": place,
            ])
        _ = try Curl.exchange([
            "--retry", "40", "--retry-all-errors", "--retry-delay", "1", "\(base)/livez",
        ])
    }

    deinit { proxy.killNow() }

    /// The server that has the one session of a counter.
    func holder() throws -> StatecastServer {
        let statement = """
            SELECT s.address FROM statecast.session x JOIN statecast.server s ON s.id = x.holder
            WHERE x.name LIKE '/counter/%'
            """
        let address = try PostgreSQLServer.shared().ask(statement, in: journal)
        return servers[address.hasPrefix("127.0.0.2:") ? 0 : 1]
    }
}

@Suite(
    .serialized,
    .enabled(
        if: DrainedServers.areThere,
        "PostgreSQL 15 (Debian's package postgresql), Caddy or Chromium's driver is not installed"))
struct `A page over servers of which one goes` {
    /// Notes what a person would see, and presses a button fifty times a second.
    private static let script = """
        window.isAsItWas = true;
        window.seen = [];
        new MutationObserver(() => {
          const phase = document.querySelector("[data-testid=connection]")?.dataset.phase;
          const message = document.querySelector("[data-testid=message]")?.textContent;
          for (const text of [phase, message]) {
            if (text && text !== window.seen.at(-1)) window.seen.push(text);
          }
        }).observe(document, { subtree: true, childList: true, attributes: true });
        window.clicks = 0;
        window.presses = setInterval(() => {
          document.querySelector("[data-testid=increment]").click();
          window.clicks++;
        }, 20);
        """

    @Test(arguments: [false, true])
    func `goes on by itself, and neither loses nor doubles an action`(
        byCommand: Bool
    ) async throws {
        let servers = try DrainedServers()
        let browser = try await Browser.take()
        try await browser.open("\(servers.base)/counter/")
        try await browser.wait(
            for: "document.querySelector('[data-testid=connection][data-phase=live]')")
        try await browser.run(Self.script)
        try await browser.wait(for: "window.clicks > 20")
        let holder = try servers.holder()
        if byCommand {
            let (answer, _) = try await holder.client.exchange("POST", "/cluster/drain")
            #expect(answer.statusCode == 204)
        } else {
            #expect(holder.running.terminate() == 0)
        }
        let clicks = try #require(try await browser.run("return window.clicks") as? Int)
        try await browser.wait(for: "window.clicks > \(clicks + 50)")
        try await browser.run("clearInterval(window.presses)")
        try await browser.wait(
            for: "window.isAsItWas && document.querySelector('[data-testid=count]').textContent"
                + " === String(window.clicks)")
        let phases = try await browser.run("return window.seen") as? [String] ?? []
        #expect(phases.count { $0 == "reconnecting" } <= 1, "\(phases)")
        #expect(Set(phases).isSubset(of: ["live", "reconnecting"]), "\(phases)")
        try await browser.quit()
    }
}

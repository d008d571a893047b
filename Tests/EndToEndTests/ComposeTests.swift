import Foundation
import FoundationNetworking
import PostgreSQLServer
import TemporaryFolder
import Testing

/// What docker-compose.yml starts, by processes of this machine.
@Suite struct `The compose file` {
    private let folder = TemporaryFolder()
    private let services: [String: [String: Any]]

    init() throws {
        let text = try String(
            contentsOf: Products.root.appending(path: "docker-compose.yml"), encoding: .utf8)
        let python = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"
        let read = try Products.run(
            ["-c", python], of: URL(filePath: "/usr/bin/python3"), input: text)
        let file = try JSONSerialization.jsonObject(with: Data(read.output.utf8))
        services = try #require((file as? [String: Any])?["services"] as? [String: [String: Any]])
    }

    /// What the process of a container is called with.
    ///
    /// - Parameter places: what stands here for a part of it.
    private func words(_ service: String, _ places: [String: String] = [:]) -> [String] {
        let words = ["entrypoint", "command"].map { services[service]?[$0] as? [String] ?? [] }
        return words.joined().map { word in
            places.reduce(word.replacing("$$", with: "$")) { $0.replacing($1.key, with: $1.value) }
        }
    }

    /// Starts a server.
    ///
    /// - Returns: the port as well.
    private func start(
        _ service: String, _ places: [String: String]
    ) throws -> (process: RunningProcess, port: Int) {
        let usual = [
            "--port=8080": "--port=0", "0.0.0.0": "127.0.0.1", "upstream:8081": "127.0.0.1:9",
            "/srv/public": Products.publicDirectory.path,
        ]
        let words = words(service, places.merging(usual) { $1 })
        let program = try #require(words.first)
        let process = try RunningProcess(
            Products.directory.appending(path: program), Array(words.dropFirst()))
        let line = try process.firstLine { $0.hasPrefix("serving on ") ? $0 : nil }
        return (process, try #require(line.split(separator: ":").last.flatMap { Int($0) }))
    }

    @Test func `bounds each container, and begins with one server unless several are asked for`()
        throws
    {
        var ports: [String] = []
        for (name, service) in services {
            #expect(service["read_only"] as? Bool == true, "\(name)")
            #expect(service["cap_drop"] as? [String] == ["ALL"], "\(name)")
            #expect(service["security_opt"] as? [String] == ["no-new-privileges:true"], "\(name)")
            #expect(service["mem_limit"] != nil && service["pids_limit"] != nil, "\(name)")
            ports += service["ports"] as? [String] ?? []
        }
        #expect(ports.sorted() == ["443:443", "443:443/udp", "8443:8443", "8443:8443/udp"])
        #expect(services.filter { $0.value["build"] != nil }.keys.sorted() == ["upstream"])
        let usual = services.filter { $0.value["profiles"] == nil }
        #expect(Set(usual.keys) == ["caddy", "server", "upstream"])
        for service in usual.values {
            let others = service["depends_on"] as? [String: Any] ?? [:]
            #expect(others.keys.allSatisfy { usual[$0] != nil })
        }
    }

    @Test func `gives the one server what it takes`() throws {
        let (server, _) = try start("server", ["/var/lib/statecast": "\(folder.path)/journal"])
        #expect(server.terminate() == 0)
    }

    /// Makes the keys as their container does, twice: in the servers' folder, and one that databases have, too.
    private func makeKeys(in place: String) throws {
        let password = "\(place).database"
        for folder in [place, password] {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        }
        let words = words("keys", ["/var/lib/statecast": place, "/var/lib/database": password])
        let names = ["\(place)/cluster.key", "\(place)/secrets.key", "\(password)/pgpass"]
        let keys = try (0..<2).map { number in
            if number == 1 {
                // As a former build has left it.
                try FileManager.default.moveItem(atPath: names[2], toPath: "\(place)/pgpass")
            }
            let made = try Products.run(Array(words.dropFirst()), of: URL(filePath: "/bin/sh"))
            #expect(made.status == 0, "\(made.errors)")
            return try names.map { try Data(contentsOf: URL(filePath: $0)) }
        }
        #expect(keys[0] == keys[1] && keys[0].map(\.count) == [16, 32, 64])
        let folders = try [place, password].map {
            try FileManager.default.contentsOfDirectory(atPath: $0).sorted()
        }
        #expect(folders == [["cluster.key", "pgpass", "secrets.key"], ["pgpass"]])
        for name in ["primary", "standby"] {
            let volumes = services[name]?["volumes"] as? [String] ?? []
            #expect(volumes.count == 2 && !volumes.contains { $0.hasPrefix("keys:") })
        }
    }

    /// A database and its standby, with the settings that both have there.
    private func startDatabases() throws -> [PostgreSQLServer] {
        let script = try #require(words("primary").last)
        let settings = script.matches(of: /-c ([a-z_]+)='?([^\s']+)/)
            .filter { $0.1 != "listen_addresses" }.map { "\($0.1) = '\($0.2)'" }
        #expect(settings.count == 4)
        let all = settings.joined(separator: "\n")
        let primary = try PostgreSQLServer(all)
        return [primary, try PostgreSQLServer(all, following: primary.place)]
    }

    @Test(
        .timeLimit(.minutes(2)),
        .enabled(
            if: PostgreSQLServer.isThere,
            "PostgreSQL 15 is not installed (Debian's package postgresql)"))
    func `begins several servers, and nothing is lost or done twice where one is killed`() throws {
        let keys = "\(folder.path)/keys"
        try makeKeys(in: keys)
        let databases = try startDatabases()
        let journal = PostgreSQLServer.address(
            databases.map(\.place).joined(separator: ","), database: "postgres")
        let names = ["server1", "server2", "server3"]
        let servers = try names.enumerated().map { number, name in
            try start(
                name,
                [
                    "/var/lib/statecast": keys, "\(name):8090": "127.0.0.\(number + 2):0",
                    "postgresql://statecast@primary,standby/statecast": journal,
                ])
        }
        let port = try FreePort.any()
        var environment = services["balancer"]?["environment"] as? [String: String] ?? [:]
        environment = environment.mapValues { value in
            zip(names, servers).reduce(value.replacing(":8443", with: ":\(port)")) {
                $0.replacing("\($1.0):8080", with: "127.0.0.1:\($1.1.port)")
            }
        }
        let caddy = try RunningProcess.caddy(environment, home: folder.path)
        defer { caddy.killNow() }

        let client = CountingClient(session: "https://localhost:\(port)/counter/sessions/one")
        try client.make()
        // Some of it comes to servers that do not have the session.
        repeat { try client.post() } while try relayCount(journal) == 0
        let holder = try databases[0].ask(
            """
            SELECT split_part(address, ':', 1) FROM statecast.server v
            JOIN statecast.session s ON s.holder = v.id WHERE s.name = '/counter/sessions/one'
            """)
        let killed = try #require((0..<3).first { holder == "127.0.0.\($0 + 2)" })
        servers[killed].process.killNow()
        for _ in 0..<20 { try client.post() }
        #expect(try client.state() == "{\"count\":\(client.postCount)}")
        for (number, server) in servers.enumerated() where number != killed {
            #expect(server.process.terminate() == 0)
        }
        let standbys = "SELECT sync_state FROM pg_stat_replication"
        #expect(try databases[0].ask(standbys) == "sync")
        #expect(try databases[1].ask("SELECT pg_is_in_recovery()") == "t")
    }

    /// Lets both databases begin as their containers do, and the primary end: first by itself, then with the
    /// standby promoted meanwhile, which finds it leading once more, and in the end with all its data gone.
    /// Their folder is an unprivileged user's.
    private static let failOver = #"""
        set -eu
        export PATH=/usr/lib/postgresql/15/bin:$PATH
        script=$0
        place=$(mktemp -d /tmp/statecast-compose-XXXXXX)
        end() {
            kill -INT $(jobs -p) || :
            for _ in {1..100}; do
                [ -n "$(jobs -pr)" ] || break
                sleep 0.1
            done
            kill -KILL $(jobs -p) || :
            wait || :
            rm -rf "$place"
        }
        trap 'end 2>/dev/null' EXIT
        cd "$place"
        as=
        if [ "$(id -u)" = 0 ]; then
            chown nobody .
            as="setpriv --reuid=nobody --regid=nogroup --clear-groups"
        fi
        $as mkdir -m 0700 primary standby
        $as bash -c 'umask 077; echo "*:*:*:statecast:secret" >pgpass'
        launch() {
            text=${script//PLACE/$place}
            exec >>"$1.log" 2>&1 env OTHER="$place/$2" PGPASSFILE="$place/pgpass" \
                $as bash -euc "${text//ITSELF/$1}"
        }
        begin() {
            launch "$1" "$2" &
            for _ in {1..300}; do
                pg_isready -q -h "$place/$1" && return
                sleep 0.1
            done
            cat "$1.log" >&2
            exit 1
        }
        refused() {
            launch "$1" "$2" &
            for _ in {1..300}; do
                kill -0 $! 2>/dev/null || break
                sleep 0.1
            done
            tail -n 1 "$1.log" | sed "s|$place/||"
        }
        ask() {
            timeout -s KILL 30 \
                psql -XAtqd "host=$place/$1 user=statecast dbname=statecast" -c "$2"
        }
        control() { $as pg_ctl -D "$1/main" "$2" >/dev/null; }
        tell() {
            for name in primary standby; do
                ask $name "SELECT CASE WHEN pg_is_in_recovery() THEN 'follows' ELSE 'leads' END"
            done
        }
        begin primary standby
        begin standby primary
        ask primary "CREATE TABLE kept (number int)"
        control primary stop
        begin primary standby
        ask primary "INSERT INTO kept VALUES (1)"
        tell
        control primary stop
        control standby promote
        control standby stop
        begin primary standby
        refused standby primary
        control primary stop
        begin standby primary
        begin primary standby
        ask standby "INSERT INTO kept VALUES (2)"
        control primary stop
        begin primary standby
        tell
        ask standby "SELECT count(*) FROM kept"
        control primary stop
        control standby stop
        rm -rf primary/main
        begin primary standby
        refused standby primary
        control primary stop
        begin standby primary
        ask standby "SELECT count(*) FROM kept"
        """#

    @Test(
        .timeLimit(.minutes(2)),
        .enabled(
            if: PostgreSQLServer.isThere,
            "PostgreSQL 15 is not installed (Debian's package postgresql)"))
    func `has the former primary follow the one that was promoted, and no other`() throws {
        let places = [
            "/var/lib/postgresql/data": "PLACE/ITSELF", "= primary ]": "= PLACE/primary ]",
            "listen_addresses='*'": "listen_addresses='' -c unix_socket_directories=..",
        ]
        let script = try #require(words("primary", places).last)
        #expect(words("standby", places).last == script)
        for (name, other) in [("primary", "standby"), ("standby", "primary")] {
            let environment = services[name]?["environment"] as? [String: String]
            #expect(environment?["OTHER"] == other)
        }
        let told = try Products.run(["-c", Self.failOver, script], of: URL(filePath: "/bin/bash"))
        let older = "primary leads, and is no newer: stop it, start this one, and then it."
        let other = "primary has other data, and leads."
        #expect(
            told.output.split(separator: "\n").map(String.init) == [
                "leads", "follows", older, "follows", "leads", "2", other, "2",
            ], "\(told.errors)")
    }

    /// The requests that servers have sent to each other, as they said at their last renewal.
    private func relayCount(_ journal: String) throws -> Int {
        try Products.run(["cluster", "status", journal]).output
            .matches(of: /"relays":(\d+)/).compactMap { Int($0.1) }.reduce(0, +)
    }
}

/// Counts in a session by `curl`.
private final class CountingClient {
    private let session: String
    private(set) var postCount = 0

    init(session: String) { self.session = session }

    func make() throws {
        let patience = ["--retry", "40", "--retry-all-errors", "--retry-delay", "1"]
        let (made, _) = try Curl.exchange(["-k"] + patience + ["-X", "PUT", session])
        #expect([200, 201].contains(made.statusCode))
    }

    /// Adds one, and asks again under the same key until there is an answer.
    func post() throws {
        postCount += 1
        var status: Int?
        repeat {
            status = try? Curl.exchange([
                "-k", "-X", "POST", "-H", "Content-Type: application/json", "-H",
                "Idempotency-Key: k\(postCount)", "-d",
                #"{"type":"incremented","payload":{"by":1}}"#, "\(session)/actions",
            ]).0.statusCode
        } while status == nil || status == 502 || status == 503
        #expect(status == 200)
    }

    func state() throws -> String {
        String(decoding: try Curl.exchange(["-k", "\(session)/state"]).1, as: UTF8.self)
    }
}

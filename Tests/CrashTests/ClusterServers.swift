import Bytes
import ClientWire
import Foundation
import PostgreSQLServer
import TemporaryFolder
import Testing
import Threads

/// Real servers that share a database and answer for each other's sessions. Each has proxies between itself
/// and the database, and one before where it takes requests of others.
final class ClusterServers {
    /// One or two PostgreSQL servers: the second is the standby of the first, without which nothing is kept.
    private(set) var databases: [PostgreSQLServer]
    let peers: [Proxy]
    private let ways: [[Proxy]]
    private let database: String
    private let options: [String]
    private let folder = TemporaryFolder()
    private(set) var processes: [ServerProcess] = []

    var ports: [Int] { processes.map(\.port) }
    /// Where all of it is kept.
    var journal: String { PostgreSQLServer.address(databases[0].place, database: database) }

    /// - Parameters:
    ///   - databases: nil for a database of their own on the server of all tests.
    ///   - options: of each server.
    init(
        _ count: Int, on databases: [PostgreSQLServer]? = nil, options: [String] = []
    ) throws {
        self.options = options
        if let databases {
            (self.databases, database) = (databases, "postgres")
        } else {
            let (shared, name) = (
                try PostgreSQLServer.shared(), "c\(UInt64.random(in: 0 ... .max))"
            )
            _ = try shared.makeDatabase(name)
            (self.databases, database) = ([shared], name)
        }
        let sockets = self.databases.map(\.socket)
        peers = try (0..<count).map { try Proxy(at: "127.0.1.\($0 + 2)", to: "127.0.0.\($0 + 2)") }
        ways = try (0..<count).map { _ in try sockets.map { try Proxy(to: $0) } }
        for number in 0..<count { try start(number) }
    }

    /// Starts a server, or another one in the place of one that has ended. The clock of the first jumps by
    /// 20 s, and back, each second.
    ///
    /// - Parameter key: by which servers know each other.
    func start(_ number: Int, key: [UInt8] = Array(1...16)) throws {
        try folder.write("\(number).key", key, mode: 0o600)
        let places = ways[number].map(\.place).joined(separator: ",")
        let address = PostgreSQLServer.address(places, database: database)
        let process = try ServerProcess(
            keptIn: "\(address)&target_session_attrs=read-write",
            [
                "--key-file", "\(folder.path)/key",
                "--cluster-key-file", "\(folder.path)/\(number).key",
                "--cluster-listen", listener(number),
            ] + options,
            environment: [
                "LD_PRELOAD": ServerProcess.faults, "FAULT_PEERS": "1",
                "FAULT_CLOCK": number == 0 ? "20" : "0",
            ])
        if number < processes.count {
            processes[number] = process
        } else {
            processes.append(process)
        }
    }

    /// Makes a session, and gives it to one of the servers, whichever it is that they would choose.
    func make(_ path: String, at number: Int) throws {
        _ = try processes[number].answer(.making(path))
        let receiver = #"{"to":"\#(listener(number))"}"#
        let move = ClientRequest(
            "POST", "\(path)/move", fields: ["Content-Type": "application/json"],
            body: Array(receiver.utf8))
        // The one that has it takes its client for an operator, and may not know yet of the other.
        let end = Instant.read().advanced(by: .seconds(60))
        while try !processes.contains(where: { try $0.answer(move).status == 204 }) {
            try #require(Instant.read() < end)
        }
    }

    /// Where it takes requests of others.
    private func listener(_ number: Int) -> String {
        "127.0.0.\(number + 2):\(peers[number].port)"
    }

    /// The database knows a server, and does not say that it has ended.
    func isAlive(_ number: Int) throws -> Bool {
        try ask(
            """
            SELECT EXISTS (SELECT FROM statecast.server
                WHERE ended IS NULL AND address = '\(listener(number))')
            """) == "t"
    }

    /// What the database says.
    func ask(_ statement: String) throws -> String {
        try databases[0].ask(statement, in: journal)
    }

    /// A server and its databases do not reach each other until `body` has ended.
    func cutOff(_ number: Int, until body: () throws -> Void) rethrows {
        for way in ways[number] {
            way.isClosed = true
            way.cut()
        }
        defer { for way in ways[number] { way.isClosed = false } }
        try body()
    }

    /// What a server says to its databases arrives once `body` has ended; nothing tells them of its end.
    func holdBack(_ number: Int, until body: () throws -> Void) rethrows {
        for way in ways[number] { way.hold() }
        defer { for way in ways[number] { way.release() } }
        try body()
    }

    /// The database's machine is gone, and its standby takes its place, whose standby it then is itself.
    func failOver() throws {
        try databases[0].tell("crash")
        try databases[1].tell("promote")
        try databases[0].tell("follow \(databases[1].place)")
        databases.swapAt(0, 1)
    }
}

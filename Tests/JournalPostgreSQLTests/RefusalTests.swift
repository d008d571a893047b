import Foundation
import JournalConformance
import Journaling
import PostgreSQL
import PostgreSQLServer
import Redux
import Testing

@testable import JournalPostgreSQL

/// What a journal does not begin with: told in one sentence.
@Suite(withPostgreSQL) struct PostgreSQLRefusalTests {
    private func refusal(_ address: String, _ place: Place) -> String {
        do throws(JournalRefusal) {
            _ = try PostgreSQLJournal(address, options: place.options)
            return "it begins"
        } catch {
            return error.description
        }
    }

    @Test func `a database that forgets is refused`() async throws {
        let place = try Place(PostgreSQLServer())
        let journal = try place.open()
        let name = try await TestSession("a", in: journal).name
        for setting in ["fsync", "full_page_writes", "synchronous_commit"] {
            try await place.ask("ALTER SYSTEM SET \(setting) = off")
            try await place.ask("SELECT pg_reload_conf()")
            var told = ""
            // The server takes it over in a moment.
            try await until {
                told = refusal(place.server.address, place)
                return told != "it begins"
            }
            #expect(
                told == "PostgreSQL cannot be used: it has \(setting) = off, "
                    + "and a power loss would lose what was acknowledged.")
            // So is each new connection of a journal that has begun before.
            try await place.ask(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE application_name = '\(place.schema)'
                """)
            var failure = JournalFailure.unknown
            try await until {
                do throws(JournalFailure) {
                    _ = try await journal.open(name, making: nil)
                    failure = .ended
                } catch { failure = error }
                return failure != .unknown
            }
            #expect(failure == .unavailable)
            try await place.ask("ALTER SYSTEM RESET \(setting)")
            try await place.ask("SELECT pg_reload_conf()")
            try await until { try await place.ask("SHOW \(setting)")[0].text(0) == "on" }
            try await until { journal.status.isAvailable }
        }
        await journal.close()
    }

    @Test func `a database without a synchronous standby is told of`() async throws {
        let place = try Place(PostgreSQLServer())
        #expect(try !Founding(place.server.address, place.options).hasStandby)
        try await place.ask("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try await place.ask("SELECT pg_reload_conf()")
        var options = place.options
        // To seal something by it would wait for the standby.
        options.keyFile = nil
        try await until { try Founding(place.server.address, options).hasStandby }
    }

    @Test func `a database that does not answer what it is asked first is refused`() {
        let lane = PlainLane(schema: "s", lane: .opening)
        for rows in [[], [[]]] as [[[ResultRow]]] {
            #expect(lane.refusal(by: .success(rows)) == "it does not answer")
        }
    }

    @Test func `a role that may make no tables, and one that has others' tables, are refused`()
        async throws
    {
        let place = try Place()
        let role = "r\(place.schema)"
        try await place.ask("CREATE ROLE \(role) LOGIN")
        let address = PostgreSQLServer.address(place.server.place, user: role)
        #expect(
            refusal(address, place)
                == "PostgreSQL keeps no journal for this role: "
                + "permission denied for database postgres.")
        await (try place.open()).close()
        try await place.ask(
            "GRANT USAGE ON SCHEMA \(place.schema) TO \(role)",
            "GRANT ALL ON ALL TABLES IN SCHEMA \(place.schema) TO \(role)")
        #expect(
            refusal(address, place) == "The journal's tables belong to another role of PostgreSQL.")
    }

    @Test(arguments: ["transaction", "session"])
    func `a pooler in transaction mode is refused, and one in session mode is none`(
        mode: String
    ) async throws {
        let place = try Place()
        let pooler = try Pooler(to: place.server, mode: mode)
        var told = ""
        // It begins in a moment.
        try await until {
            told = refusal(PostgreSQLServer.address(pooler.folder), place)
            return !told.contains("No such file") && !told.contains("Connection refused")
        }
        let sentence =
            "Between PostgreSQL and this server stands a pooler in transaction mode: "
            + "connect directly, or by one in session mode."
        #expect(told == (mode == "session" ? "it begins" : sentence))
    }

    @Test func `a PostgreSQL that is too old is refused`() async throws {
        let place = try Place()
        let version = try await place.ask("SELECT current_setting('server_version_num')::int8")
        let bytes = { (version: Int64) in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: version >> $0) }
        }
        let proxy = try Proxy(to: place.server.socket)
        proxy.change(bytes(version[0].number(0)), to: bytes(140_011))
        #expect(
            refusal(PostgreSQLServer.address(proxy.place), place)
                == "PostgreSQL is version 14, and 15 or later is needed.")
    }

    @Test func `another build's journal, and what cannot be reached, are refused`() async throws {
        let place = try Place()
        await (try place.open()).close()
        try await place.ask("UPDATE journal SET format = 2")
        #expect(
            refusal(place.server.address, place)
                == "The journal in postgres is of another build (format 2).")
        let nowhere = refusal(PostgreSQLServer.address("/nowhere"), place)
        #expect(nowhere.hasPrefix("PostgreSQL cannot be used: "), "\(nowhere)")
        #expect(nowhere.contains("/nowhere/.s.PGSQL.5432"), "\(nowhere)")
        let words = refusal("port=nothing", place)
        #expect(words.contains("port"), "\(words)")
    }

    @Test func `another key than the one by which secrets are sealed is refused`() async throws {
        let place = try Place()
        await (try place.open()).close()
        let path = place.options.keyFile ?? ""
        #expect(
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                == 0o600)
        try FileManager.default.removeItem(atPath: path)
        #expect(
            refusal(place.server.address, place) == "The key file \(path) cannot be read.")
        try Data(repeating: 7, count: 32).write(to: URL(filePath: path))
        #expect(
            refusal(place.server.address, place)
                == "By the key in \(path) this journal's secrets are not sealed.")
    }
}

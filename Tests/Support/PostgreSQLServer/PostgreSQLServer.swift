import Foundation
import Synchronization

/// A PostgreSQL from Debian's package in a folder of its own, which ends with this process: an
/// unprivileged user's, reached by a socket in the folder, and as careful as by default.
package final class PostgreSQLServer: Sendable {
    private static let programs = "/usr/lib/postgresql/15/bin"

    /// Tests with it are skipped where it is not installed; never in CI.
    package static let isThere =
        FileManager.default.isExecutableFile(atPath: "\(programs)/postgres")
        || ProcessInfo.processInfo.environment["CI"] == "true"

    private static let one = Mutex<PostgreSQLServer?>(nil)

    /// The one of all tests of a run.
    package static func shared() throws -> PostgreSQLServer {
        try one.withLock { one in
            let server = try one ?? PostgreSQLServer()
            one = server
            return server
        }
    }

    /// Ends by itself where its input ends: however this process does.
    private static let script = """
        set -eu
        place=$(mktemp -d /tmp/statecast-postgresql-XXXXXX)
        cd "$place"
        as=
        if [ "$(id -u)" = 0 ]; then
            chown nobody "$place"
            as="setpriv --reuid=nobody --regid=nogroup --clear-groups"
        fi
        control() { $as "$0/pg_ctl" -D data -l "$place/data/server.log" -w "$@" >/dev/null; }
        settings=$1
        begin() {
            printf '%s\\n' "listen_addresses = ''" "unix_socket_directories = '$place'" \\
                "max_connections = 200" "shared_buffers = 64MB" "log_min_messages = fatal" \\
                "$settings" >>data/postgresql.conf
            control start
        }
        follow() {
            rm -rf data
            $as "$0/pg_basebackup" -D data -R -c fast -d "host=$1 user=statecast" 2>follow.log
            begin
        }
        if [ -n "$2" ]; then follow "$2"; else
            $as "$0/initdb" -D data -U statecast -A trust --no-instructions --no-sync >initdb.log 2>&1
            begin
        fi
        echo "$place"
        while read -r command; do
            case $command in
            stop) control -m fast stop ;;
            crash) control -m immediate stop ;;
            start) control start ;;
            promote) control promote ;;
            follow*) follow "${command#follow }" ;;
            esac
            echo done
        done
        control -m immediate stop || true
        rm -rf "$place"
        """

    /// The folder with its socket.
    package let place: String
    private let input: FileHandle
    private let output: FileHandle

    /// - Parameters:
    ///   - settings: further lines of its configuration.
    ///   - primary: the folder of the one whose standby it is; nil for one of its own.
    package init(_ settings: String = "", following primary: String? = nil) throws {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", Self.script, Self.programs, settings, primary ?? ""]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        (self.input, self.output) = (input.fileHandleForWriting, output.fileHandleForReading)
        place = Self.line(self.output)
        guard !place.isEmpty else { throw CocoaError(.executableLoad) }
    }

    package var socket: String { "\(place)/.s.PGSQL.5432" }
    package var address: String { Self.address(place) }

    /// - Parameter folder: where the socket stands that leads to it; or several, separated by commas.
    package static func address(
        _ folder: String, user: String = "statecast", database: String = "postgres"
    ) -> String { "postgresql:///\(database)?host=\(folder)&user=\(user)" }

    /// Makes a database of its own for one test.
    package func makeDatabase(
        _ name: String = "d\(UInt64.random(in: 0 ... .max))"
    ) throws -> String {
        _ = try ask("CREATE DATABASE \(name)")
        return Self.address(place, database: name)
    }

    /// What it says to a statement, a line a row.
    ///
    /// - Parameter address: of a database of its own; nil for the one that each server has.
    package func ask(_ statement: String, in address: String? = nil) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "\(Self.programs)/psql")
        process.arguments = ["-XAtqc", statement, address ?? self.address]
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    /// `stop`, `crash`, `start`, `promote` for a standby, or `follow FOLDER` for one that has ended, which
    /// is a standby from then on; answers once that is done.
    package func tell(_ command: String) throws {
        try input.write(contentsOf: Data("\(command)\n".utf8))
        guard Self.line(output) == "done" else { throw CocoaError(.executableLoad) }
    }

    static func line(_ output: FileHandle) -> String {
        var bytes: [UInt8] = []
        while let byte = try? output.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

import Foundation

/// Debian's pgbouncer between a database and its clients, reached by a socket in a folder of its own, which
/// ends with this object or this process.
package final class Pooler: Sendable {
    private static let script = """
        set -eu
        place=$(mktemp -d /tmp/statecast-pooler-XXXXXX)
        as=
        if [ "$(id -u)" = 0 ]; then
            chown nobody "$place"
            as="setpriv --reuid=nobody --regid=nogroup --clear-groups"
        fi
        printf '%s\\n' '"statecast" ""' >"$place/users"
        printf '%s\\n' "[databases]" "* = host=$1" "[pgbouncer]" "unix_socket_dir = $place" \\
            "listen_port = 5432" "auth_type = trust" "auth_file = $place/users" "pool_mode = $2" \\
            "ignore_startup_parameters = extra_float_digits,options" >"$place/settings"
        $as /usr/sbin/pgbouncer -q "$place/settings" >"$place/log" 2>&1 &
        echo "$place"
        while read -r _; do :; done
        kill $! && wait $! || true
        rm -rf "$place"
        """

    /// The folder with its socket.
    package let folder: String
    private let input: Pipe

    /// - Parameter mode: `session` or `transaction`.
    package init(to server: PostgreSQLServer, mode: String) throws {
        let (process, output) = (Process(), Pipe())
        input = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", Self.script, "pooler", server.place, mode]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        folder = PostgreSQLServer.line(output.fileHandleForReading)
        guard !folder.isEmpty else { throw CocoaError(.executableLoad) }
    }
}

import ArgumentParser
import Bytes
import ClientWire
import StateCoding

/// Lists an application's sessions.
struct SessionsCommand: RemoteCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Lists the sessions of an application, for the role admin.",
        discussion: ExitReason.table)

    @OptionGroup var options: RemoteOptions

    @Option(help: "Ends after so many sessions.")
    var limit: Int?

    init() {}

    func validate() throws {
        guard limit ?? 1 >= 1 else { throw ValidationError("--limit is 1 or more.") }
        guard options.address.session == nil else {
            throw ValidationError(
                "The URL is that of an application: http://localhost:8080/counter.")
        }
    }

    @MainActor func perform(on remote: Remote) async throws {
        let terminal = remote.terminal
        var left = limit ?? .max
        var query: String? = "?limit=\(min(left, 1_000))"
        let head = Self.row(["SESSION", "TOKEN", "LAST CHANGE", "WATCHERS"])
        if terminal.isTerminal { try terminal.write(terminal.paint(head, .gray)) }
        while left > 0, let page = query {
            let answer = try await remote.get(options.address.sessions + page)
            guard let sessions = try JSONValue.parsing(answer.body).elements else {
                throw MirrorProblem("not-http", "The answer is no list.", status: answer.status)
            }
            for session in sessions.prefix(left) {
                try terminal.write(terminal.isTerminal ? Self.row(session) : session.line)
            }
            left -= min(left, sessions.count)
            query = sessions.isEmpty ? nil : answer.next
        }
    }

    private static func row(_ session: JSONValue) -> String {
        let watchers =
            session["watchers"]?.integer.map { "\($0)" }
            ?? (session["asleep"] == nil ? "unknown" : "asleep")
        return row(["id", "token", "lastChange"].map { session[$0]?.string ?? "" } + [watchers])
    }

    private static func row(_ texts: [String]) -> String {
        zip(texts, [34, 18, 26, 0]).map { text, width in
            Terminal.harmless(text) + String(repeating: " ", count: max(2, width - text.count))
        }.joined()
    }
}

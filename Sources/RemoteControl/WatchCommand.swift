import ArgumentParser
import ClientWire
import StateCoding

/// Shows what changes in a session.
struct WatchCommand: RemoteCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Shows the state of a session, and then what changes.",
        discussion: """
            In a pipe each line is JSON: {"token":…,"version":…,"state":…} first, then \
            {"token":…,"version":…,"changes":[{"op":"replace","path":"/count","old":1,"value":2}]}. The \
            stream goes on after breaks and restarts of the server; what was missed comes as one change.

            \(ExitReason.table)
            """)

    @OptionGroup var options: RemoteOptions
    @OptionGroup var part: PartOptions

    @Option(help: "Ends after so many changes.")
    var changes: UInt32?

    init() {}

    func validate() throws {
        guard changes ?? 1 >= 1 else { throw ValidationError("--changes is 1 or more.") }
        _ = try options.address.ofSession()
    }

    @MainActor func perform(on remote: Remote) async throws {
        let follower = Follower(
            of: try options.address.ofSession(), query: part.query.joined(separator: "&"),
            on: remote)
        var shown: JSONValue?
        // The state is written first.
        var left = 1 + Int(changes ?? .max)
        try await follower.run { news in
            guard let line = try Self.line(of: news, behind: &shown, on: remote.terminal) else {
                return false
            }
            try remote.terminal.write(line)
            left -= 1
            return left == 0
        }
    }

    /// What is written of some news; nil: nothing.
    ///
    /// - Parameter shown: the state that was shown before, and then the one that is.
    static func line(
        of news: SessionFeed.News, behind shown: inout JSONValue?, on terminal: Terminal
    ) throws(MirrorProblem) -> String? {
        switch news {
        case .version: return nil
        case .outOfScope(let token):
            shown = nil
            return terminal.isTerminal
                ? head(token, on: terminal) + "  is not there"
                : json(token) { $0.member("event", "out-of-scope") }
        case .state(let bytes, let token):
            let state = try JSONValue.parsing(bytes)
            defer { shown = state }
            guard let shown else {
                return terminal.isTerminal
                    ? "\(head(token, on: terminal))\n\(terminal.pretty(state))"
                    : json(token) { $0.member("state", json: state.line.utf8.span) }
            }
            let changes = StateChange.all(from: shown, to: state)
            return changes.isEmpty ? nil : line(of: changes, token, on: terminal)
        }
    }

    private static func line(
        of changes: [StateChange], _ token: Token, on terminal: Terminal
    ) -> String {
        guard terminal.isTerminal else {
            return json(token) { $0.list("changes", changes) { $1.write(to: &$0) } }
        }
        let rest = changes.count - lineLimit
        return
            ([head(token, on: terminal)]
            + changes.prefix(lineLimit).map { $0.line(on: terminal) }
            + (rest > 0 ? ["  … and \(rest) more"] : [])).joined(separator: "\n")
    }

    /// More changes at once are counted on a terminal, and not shown.
    private static let lineLimit = 50

    private static func head(_ token: Token, on terminal: Terminal) -> String {
        terminal.paint("\(token)", .gray)
    }

    private static func json(_ token: Token, _ body: (inout JSONWriter) -> Void) -> String {
        let json = JSONWriter.object { writer in
            writer.member("token", "\(token)")
            writer.member("version", token.version)
            body(&writer)
        }
        return String(decoding: json, as: UTF8.self)
    }
}

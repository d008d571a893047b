import ArgumentParser
import Bytes
import ClientWire
import StateCoding

/// Shows the log of a session.
struct TailCommand: RemoteCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Shows what happened in a session, by whom and because of what; role inspect.",
        discussion: """
            On a terminal a line is time, version, the version that caused it, who, and the action. In a pipe \
            it is the entry as the log has it.

            \(ExitReason.table)
            """)

    @OptionGroup var options: RemoteOptions

    @Option(
        name: [.customShort("n"), .long],
        help: "Begins so many entries before.")
    var lines: UInt64 = 10

    @Flag(inversion: .prefixedNo, help: "Goes on with what happens.")
    var follow = true

    @Flag(help: "Shows what each entry has changed.")
    var patch = false

    init() {}

    func validate() throws { _ = try options.address.ofSession() }

    @MainActor func perform(on remote: Remote) async throws {
        let session = try options.address.ofSession()
        let json = try JSONValue.parsing(try await remote.get(session).body)
        guard let token = json["token"]?.string.flatMap({ Token($0) }) else {
            throw MirrorProblem("not-http", "The session is not described.", status: 200)
        }
        let first = Token(
            epoch: token.epoch, version: token.version - min(token.version, lines))
        var reader = LogReader(
            session: session, created: json["created"]?.string, last: first, withPatch: patch,
            remote: remote)
        try await reader.read()
        guard follow else { return }
        // What the state has become is of no use here.
        let follower = Follower(of: session, behind: token, on: remote)
        try await follower.run { news in
            if case .version(let token) = news { try await reader.read(upTo: token) }
            return false
        }
    }
}

/// Writes the entries of a session's log, each once.
@MainActor struct LogReader {
    let session: String
    /// When the session was made, as its description has it.
    var created: String?
    /// That of the entry that was written last.
    var last: Token
    let withPatch: Bool
    let remote: Remote

    /// Writes what is there behind the last entry.
    ///
    /// - Parameter token: of another epoch where the history is another one.
    mutating func read(upTo token: Token? = nil) async throws(MirrorProblem) {
        if let token, token.epoch != last.epoch {
            // A session that was reverted goes on, and one that was made anew begins anew.
            let json = try JSONValue.parsing(try await remote.get(session).body)
            let isAnew = json["created"]?.string != created
            created = json["created"]?.string
            remote.terminal.tell("The history is another one from here on: epoch \(token.epoch).")
            last = Token(epoch: token.epoch, version: isAnew ? 0 : last.version)
        }
        while true {
            let former = last
            let (entries, hasMore) = try await page()
            for entry in entries { try write(entry) }
            // The page behind one that has nothing new is the same.
            if !hasMore || last == former { return }
        }
    }

    /// Entries behind the last one; where that is older than what is kept, the first that are.
    private func page() async throws(MirrorProblem) -> (entries: [JSONValue], hasMore: Bool) {
        let rest = "limit=1000\(withPatch ? "&patch=1" : "")"
        let answer: ClientAnswer
        do throws(MirrorProblem) {
            answer = try await remote.get("\(session)/log?after=\(last.version)&\(rest)")
        } catch {
            guard error.code == "version-gone" else { throw error }
            answer = try await remote.get("\(session)/log?\(rest)")
        }
        let entries = try JSONValue.parsing(answer.body).elements ?? []
        return (entries, answer.next != nil && !entries.isEmpty)
    }

    private mutating func write(_ entry: JSONValue) throws(MirrorProblem) {
        guard let number = entry["version"]?.integer, let version = UInt64(exactly: number),
            version > last.version
        else { return }
        if version > last.version + 1 {
            remote.terminal.tell("What came before version \(version) is not kept.")
        }
        // The log may tell of another epoch before the stream does.
        last = Token(epoch: entry["epoch"]?.string ?? last.epoch, version: version)
        let terminal = remote.terminal
        try terminal.write(terminal.isTerminal ? Self.line(of: entry, on: terminal) : entry.line)
    }

    /// `12:03:05.123  43 ← 42  alice  list/added {"name":"Milk"}`
    nonisolated static func line(of entry: JSONValue, on terminal: Terminal) -> String {
        let time = entry["at"]?.integer.flatMap { CalendarDate(millisecondsSince1970: $0) }
        let cause = entry["cause"]?.integer.map { " ← \($0)" } ?? ""
        let origin = entry["origin"]?.string ?? ""
        let who = entry["by"]?["id"]?.string ?? (origin == "client" ? "somebody" : origin)
        let what = entry["action"]?["type"]?.string ?? entry["kind"]?.string ?? ""
        let payload = entry["action"]?["payload"].map { " " + terminal.short($0.json) } ?? ""
        let patch = (entry["patch"]?.elements ?? []).map { operation in
            let name = "\(operation["op"]?.string ?? "") \(operation["path"]?.string ?? "")"
            let value = operation["value"].map { "  " + terminal.short($0.json) } ?? ""
            return "\n    \(terminal.paint(name, .yellow))\(value)"
        }
        return [
            terminal.paint(
                time.map { String($0.description.dropFirst(11).dropLast()) } ?? "", .gray),
            "\(entry["version"]?.integer ?? 0)\(terminal.paint(cause, .gray))",
            terminal.paint(who, .magenta),
            terminal.paint(what, .cyan) + payload + patch.joined(),
        ].joined(separator: "  ")
    }
}

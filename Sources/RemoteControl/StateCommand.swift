import ArgumentParser
import Bytes
import ClientWire
import StateCoding

/// The part of a state that a command is about.
struct PartOptions: ParsableArguments {
    @Option(help: "A part of the state, a JSON Pointer: /items/3.")
    var pointer: String?

    @Option(help: "A view of the application, in place of the state.")
    var view: String?

    @Option(help: "An argument of the view; may be repeated.")
    var argument: [String] = []

    func validate() throws {
        guard pointer.map({ JSONPointer(parsing: $0) != nil }) ?? true else {
            throw ValidationError(
                "--pointer is a JSON Pointer: /items/3, with ~1 for / and ~0 for ~.")
        }
        guard argument.allSatisfy({ $0.contains("=") }), argument.isEmpty || view != nil else {
            throw ValidationError("--argument is name=value, of a --view.")
        }
    }

    /// The parameters of a request.
    var query: [String] {
        [
            pointer.map { "select=\(Hexadecimal.percentEncoded($0))" },
            view.map { "view=\(Hexadecimal.percentEncoded($0))" },
        ]
        .compactMap { $0 }
            + argument.map { argument in
                let parts = argument.split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return parts.map { Hexadecimal.percentEncoded(String($0)) }.joined(separator: "=")
            }
    }
}

/// Prints a state.
struct StateCommand: RemoteCommand {
    static let configuration = CommandConfiguration(
        commandName: "state", abstract: "Prints the state of a session, as it is or as it was.",
        discussion: ExitReason.table)

    @OptionGroup var options: RemoteOptions
    @OptionGroup var part: PartOptions

    @Option(help: "As it was at this version, or token.")
    var version: String?

    init() {}

    func validate() throws {
        guard version.map({ Token($0) != nil || UInt64($0) != nil }) ?? true else {
            throw ValidationError("--version is a number, or a token: k3f9-42.")
        }
        _ = try options.address.ofSession()
    }

    @MainActor func perform(on remote: Remote) async throws {
        let query = part.query + (version.map { ["version=\($0)"] } ?? [])
        let url = try options.address.ofSession() + "/state"
        let answer = try await remote.get(
            query.isEmpty ? url : "\(url)?\(query.joined(separator: "&"))")
        let terminal = remote.terminal
        let json = try JSONValue.parsing(answer.body)
        try terminal.write(terminal.isTerminal ? terminal.pretty(json) : json.line)
    }
}

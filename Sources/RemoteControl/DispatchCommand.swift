import ArgumentParser
import ClientWire
import Glibc
import Sockets
import StateCoding

/// Sends actions to a session.
struct DispatchCommand: RemoteCommand {
    static let configuration = CommandConfiguration(
        commandName: "dispatch", abstract: "Sends actions to a session.",
        discussion: """
            statecast dispatch localhost:8080/counter/sessions/demo incremented '{"by":2}'

            Without an action, lines of JSON are read from the standard input: each line is one request, of \
            an action or an array of actions, which is taken as a whole or not at all. Where an answer is \
            lost, the same is sent again with the same key, and counts once.

            \(ExitReason.table)
            """)

    @OptionGroup var options: RemoteOptions

    @Argument(help: "The action: JSON, or its type. Without it lines are read.")
    var action: String?

    @Argument(help: "The payload of the type: JSON.")
    var payload: String?

    @Option(help: "A file of lines, in place of the input.", completion: .file())
    var file: String?

    @Flag(help: "All lines are one request: all of them or none.")
    var batch = false

    @Option(
        help: "What makes a repeat count once, also of this command: line n has the key KEY-n.")
    var key: String?

    @Option(help: "Only where the session is still at this version.")
    var expect: String?

    @Option(help: "Waits so many seconds until what it has started has ended.")
    var settle: Double?

    @Flag(help: "Makes the session where there is none.")
    var make = false

    init() {}

    func validate() throws {
        let isLine = action == nil && !batch
        let rules = [
            (action == nil || file == nil && !batch, "Say an action, or --file and --batch."),
            (payload == nil || action.map(Self.isType) == true, "A payload is of a type."),
            (
                !isLine && !batch || file != nil || !options.credentials.header.contains("@-"),
                "The input has the fields already: give the actions by --file."
            ),
            (expect == nil || !isLine, "--expect is of one action, or of a --batch."),
            (Self.isPlain(expect), "--expect is a token: k3f9-42."),
            ((0...3_600).contains(settle ?? 0), "--settle is 0 to 3600 seconds."),
            (Self.isPlain(key), "--key is 1 to 100 visible characters, without quotes."),
        ]
        for (isObeyed, rule) in rules where !isObeyed { throw ValidationError(rule) }
        _ = try options.address.ofSession()
    }

    /// It may stand between quotes in a field.
    private static func isPlain(_ text: String?) -> Bool {
        guard let text else { return true }
        return (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !"\"\\".utf8.contains($0) }
    }

    @MainActor func perform(on remote: Remote) async throws {
        let session = try options.address.ofSession()
        let key = key ?? String(UInt64.random(in: .min ... .max), radix: 36)
        if make { _ = try await remote.ask(.making(session, fields: remote.fields)) }
        if let action {
            return try await send(try Self.json(of: action, payload), key, to: session, on: remote)
        }
        let lines =
            try file.map { TextFile.lines(in: try TextFile.text(of: $0)) } ?? TextFile.input()
        if batch {
            return try await send(
                "[\(lines.filter(TextFile.isText).joined(separator: ","))]", key, to: session,
                on: remote)
        }
        let isProgress = isatty(1) == 0 && isatty(2) == 1
        defer { if isProgress { ProcessEnd.write("\n", to: 2) } }
        for (index, line) in lines.enumerated() where TextFile.isText(line) {
            do {
                try await send(line, "\(key)-\(index + 1)", to: session, on: remote)
            } catch var problem as MirrorProblem {
                problem.detail =
                    "Line \(index + 1): \(problem.detail) What was sent before counts once where the "
                    + "whole is sent again with --key \(key)."
                throw problem
            }
            if isProgress { ProcessEnd.write("\r\(index + 1) sent", to: 2) }
        }
    }

    private static func isType(_ action: String) -> Bool { !"{[".contains(action.prefix(1)) }

    /// `incremented` and `{"by":2}`, or JSON as it is.
    static func json(of action: String, _ payload: String?) throws(MirrorProblem) -> String {
        guard isType(action) else { return action }
        let json = try JSONWriter.object { (writer) throws(MirrorProblem) in
            writer.member("type", action)
            if let payload {
                let value = try JSONValue.parsing(
                    Array(payload.utf8), code: "malformed-json", status: 400)
                writer.member("payload", json: value.json.span)
            }
        }
        return String(decoding: json, as: UTF8.self)
    }

    @MainActor private func send(
        _ json: String, _ key: String, to session: String, on remote: Remote
    ) async throws {
        var fields = remote.fields
        fields["Idempotency-Key"] = "\"\(key)\""
        if let expect { fields["If-Match"] = "\"\(expect)\"" }
        let request = ClientRequest.posting(
            Array(json.utf8), to: session, query: settle.map { "?settle=\($0)" } ?? "",
            fields: fields)
        let answer: ClientAnswer
        do throws(MirrorProblem) {
            answer = try await remote.ask(request, more: .seconds(settle ?? 0))
        } catch var problem {
            if problem.code == "outcome-unknown" { problem.detail += " The key was \(key)." }
            throw problem
        }
        let terminal = remote.terminal
        let root = try JSONValue.parsing(answer.body)
        guard terminal.isTerminal else { return try terminal.write(root.line) }
        let notes = [
            (root["dropped"]?.bool == true, "dropped"), (root["delayed"]?.bool == true, "delayed"),
            (root["changed"]?.bool == false, "nothing changed"),
            (root["settled"]?.bool == false, "not settled"),
            (answer.fields["idempotency-replayed"] == "true", "was kept before"),
        ].filter(\.0).map(\.1)
        let token = terminal.paint(root["token"]?.string ?? "", .green)
        try terminal.write("\(token)  \(notes.joined(separator: ", "))")
    }
}

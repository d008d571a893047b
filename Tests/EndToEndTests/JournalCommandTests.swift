import Foundation
import FoundationNetworking
import TemporaryFolder
import Testing

/// The commands that look after a journal, beside a server and without one.
@Suite(.serialized) struct `The command journal` {
    private let place = TemporaryFolder()

    /// Runs one command to its end, with a file as its input.
    private func run(
        _ command: String, _ arguments: String..., input: String = ""
    ) throws -> (status: Int32, output: String, errors: String) {
        try Products.run(["journal", command] + arguments, input: input)
    }

    /// What a command that refuses has told, in one sentence.
    private func refusal(
        _ command: String, _ arguments: [String], input: String = ""
    ) throws -> String {
        let answer =
            arguments.count == 1
            ? try run(command, arguments[0], input: input)
            : try run(command, arguments[0], arguments[1], input: input)
        #expect(answer.status == 1 && answer.output.isEmpty)
        #expect(
            answer.errors.hasPrefix("Error: ") && answer.errors.filter { $0 == "\n" }.count == 1)
        return answer.errors.replacing(place.path, with: "PLACE").trimmingCharacters(in: .newlines)
    }

    @Test func `reads, copies and exports beside a server, and answers in JSON`() async throws {
        let (journal, copy, other) = ("\(place.path)/a", "\(place.path)/b", "\(place.path)/c")
        let server = try StatecastServer(journal: journal)
        for session in ["/counter/sessions/one", "/counter/sessions/two"] {
            _ = try await server.client.exchange("PUT", session)
            try await server.client.dispatch(session, "incremented", ["by": 2])
        }
        _ = try await server.client.exchange("POST", "/cards/sign-in", ["name": "Alice"])
        let found = #"{"sessions":4,"entries":3,"erasures":0}"# + "\n"
        #expect(try run("check", journal) == (0, found, ""))
        let copied = try run("copy", journal, copy)
        #expect(copied.status == 0 && copied.output.hasPrefix(#"{"pages":"#))
        #expect(try run("check", copy) == (0, found, ""))
        let one = try run("export", journal, "--session", "/counter/sessions/one")
        #expect(one.status == 0 && one.output.split(separator: "\n").count == 2)
        #expect(
            try run("import", other, input: one.output).output
                == "{\"sessions\":1,\"withoutKeys\":0}\n")
        let redacted = try run("export", journal).output
        #expect(!redacted.contains(#""secrets""#) && redacted.contains("Alice"))

        #expect(
            try refusal("copy", [journal, copy])
                == "Error: PLACE/b/journal.sqlite is there already.")
        #expect(
            try refusal("import", [other], input: one.output)
                == "Error: Line 1 is not imported: /counter/sessions/one is there already.")
        #expect(
            try refusal("import", [copy], input: "{\"version\":1}\n")
                == "Error: Line 1 is not imported: it is about no session.")
        #expect(
            try refusal("import", ["\(place.path)/d"], input: redacted)
                .hasSuffix("is not imported: it was exported without its secrets."))
        for command in ["compact", "import"] {
            let told = try refusal(command, [journal])
            #expect(told.hasPrefix("Error: PLACE/a is in use by process "), "\(told)")
        }
        for command in ["check", "export", "compact"] {
            #expect(
                try refusal(command, ["\(place.path)/none"])
                    == "Error: There is no journal in PLACE/none.")
        }
        #expect(!FileManager.default.fileExists(atPath: "\(place.path)/none"))

        #expect(server.running.terminate() == 0)
        let compact = try run("compact", journal)
        #expect(compact.status == 0 && compact.output.hasPrefix(#"{"before":"#))
        let database = URL(filePath: "\(journal)/journal.sqlite")
        var bytes = try Data(contentsOf: database)
        let first = try #require(bytes.range(of: Data(#"{"count":0}"#.utf8)))
        bytes[first.upperBound - 2] += 1
        try bytes.write(to: database)
        let damaged = try run("check", journal)
        #expect(damaged.status == 1)
        #expect(damaged.output.hasPrefix(#"{"damaged":"/counter/sessions/"#))
        // The copy is a journal like the first, whose key stands elsewhere: who has signed in is not
        // known without it, and all else is served.
        let again = try StatecastServer(journal: copy)
        let state = try await again.client.send("GET", "/counter/sessions/two/state", nil)
        #expect(state["count"] as? Int == 2)
        let (refused, _) = try await again.client.exchange(
            "POST", "/cards/sign-in", ["name": "Bob"])
        #expect(refused.statusCode == 423)
    }
}

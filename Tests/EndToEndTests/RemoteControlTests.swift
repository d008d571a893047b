import Foundation
import TemporaryFolder
import Testing

/// The commands that ask a server, as processes, at a server that is one.
@Suite(.serialized) struct `The commands that ask a server` {
    private let place = TemporaryFolder()

    private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

    @Test func `send, show, follow and list, and say by their status what stood in the way`() throws
    {
        let server = try StatecastServer(journal: "\(place.path)/journal")
        let session = "\(server.base)/counter/sessions/demo"
        let made = try Products.run(["dispatch", "--make", session, "incremented", #"{"by":2}"#])
        #expect(made.status == 0 && made.output.contains(#""version":1,"#) && made.errors == "")

        // Lines with a key count once, however often they are sent.
        let actions =
            "{\"type\":\"incremented\",\"payload\":{\"by\":1}}\n\n[{\"type\":\"reset\"},{\"type\":\"incremented\",\"payload\":{\"by\":5}}]\n"
        let sent = try Products.run(["dispatch", session, "--key", "once"], input: actions)
        #expect(sent.status == 0 && lines(sent.output).count == 2)
        #expect(
            try Products.run(["dispatch", session, "--key", "once"], input: actions).output
                == sent.output)
        let reset = "{\"type\":\"reset\"}\n",
            five = "{\"type\":\"incremented\",\"payload\":{\"by\":5}}"
        let batch = try Products.run(["dispatch", session, "--batch"], input: reset + five)
        #expect(batch.output.contains(#""version":6,"#) && lines(batch.output).count == 1)
        #expect(try Products.run(["state", session]).output == "{\"count\":5}\n")
        #expect(try Products.run(["state", session, "--version", "1"]).output == "{\"count\":2}\n")
        #expect(try Products.run(["state", session, "--pointer", "/count"]).output == "5\n")

        // Over a line that is cut when the server has taken the action, before its answer.
        let cut = try RunningProcess(
            URL(filePath: "/usr/bin/env"), ["python3", "-c", Self.cuttingLine, server.base])
        let port = try cut.firstLine { $0 }
        let kept = try Products.run(
            ["dispatch", "http://127.0.0.1:\(port)/counter/sessions/cut", "--make", "incremented"]
                + [#"{"by":7}"#])
        #expect(kept.status == 0 && kept.output.contains(#""version":1,"#))
        #expect(lines(kept.errors).count == 1 && kept.errors.contains("Trying again: "))
        let keys = [try cut.firstLine { $0 }, try cut.firstLine { $0 }]
        #expect(keys[0] == keys[1])
        #expect(
            try Products.run(["state", "\(server.base)/counter/sessions/cut"]).output
                == "{\"count\":7}\n")

        let log = lines(try Products.run(["tail", session, "--no-follow", "-n", "2"]).output)
        #expect(
            log.count == 2 && log[0].contains(#""type":"reset""#)
                && log[1].contains(#""version":6"#))
        let all = try Products.run(["sessions", "\(server.base)/counter"]).output
        #expect(lines(all).count == 2 && all.contains(#""id":"demo""#))

        for (arguments, status, word) in [
            (["dispatch", session, "incrementd"], 65, "Known: incremented"),
            (["dispatch", session, "incremented", "{\"by\":\(Int.max)}"], 10, "/payload/by"),
            (["dispatch", session, "reset", "--expect", "x-1"], 11, "[precondition-failed]"),
            (["watch", "\(session)s"], 13, "[session-not-found]"),
            (["state", "http://127.0.0.1:1/sessions/a"], 69, "[not-connected]"),
            (["tail", "http://127.0.0.1:1/sessions/a", "--token-file", "/none"], 66, "/none"),
            (["state", "\(server.base)/counter"], 64, "Say which session"),
            // Behind a proxy nobody is admin, nor may inspect.
            (["sessions", "\(server.base)/counter", "--header", "Via: proxy"], 77, "[forbidden]"),
        ] {
            let end = try Products.run(arguments)
            #expect(end.status == status && end.output == "", "\(arguments)")
            #expect(end.errors.contains(word), "\(end.errors)")
            #expect(word == "Say which session" || lines(end.errors).count == 1)
        }
    }

    /// Prints its port, and the key of each POST; of the first one the client gets no answer.
    private static let cuttingLine = """
        import http.server, sys, urllib.request
        class Line(http.server.BaseHTTPRequestHandler):
            keys = []
            def do_PUT(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                fields = {k: v for k, v in self.headers.items() if k != "Host"}
                asked = urllib.request.Request(
                    sys.argv[1] + self.path, body or None, fields, method=self.command)
                with urllib.request.urlopen(asked) as answer: text = answer.read()
                self.close_connection = True
                if self.command == "POST":
                    self.keys.append(fields["Idempotency-Key"])
                    print(self.keys[-1], flush=True)
                    if len(self.keys) == 1: return
                self.send_response(200)
                self.end_headers()
                self.wfile.write(text)
            do_POST = do_PUT
            def log_message(self, *texts): pass
        server = http.server.HTTPServer(("127.0.0.1", 0), Line)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    @Test func `record what a session has done, play it, and reduce it again`() throws {
        let server = try StatecastServer(journal: "\(place.path)/journal")
        let (counter, file) = ("\(server.base)/counter", "\(place.path)/demo.ndjson")
        let session = "\(counter)/sessions/demo"
        let actions = [1, 2, 3].map { #"{"type":"incremented","payload":{"by":\#($0)}}"# }
        _ = try Products.run(
            ["dispatch", "--make", session], input: actions.joined(separator: "\n"))

        let recorded = try Products.run(["record", session, "--output", file])
        #expect(recorded.status == 0 && recorded.output == "")
        #expect(recorded.errors.contains("3 entries are in \(file)."))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains(#","session":"demo","#) && text.contains(#","build":""#))
        #expect(try Products.run(["record", session]).output == text)
        #expect(lines(try Products.run(["record", session, "--through", "2"]).output).count == 3)

        let played = lines(try Products.run(["replay", file, counter, "--at", "instant"]).output)
        #expect(played.count == 4 && played[0].contains(#""mode":"instant""#))
        #expect(played.last?.contains(#""version":3,"#) == true)
        let fast = try Products.run(["replay", file, counter, "--at", "1000x"])
        #expect(fast.status == 0 && lines(fast.output).count == 4)
        let stepped = try Products.run(
            ["replay", file, counter, "--at", "step"], input: "\n\n")
        #expect(stepped.status == 0 && lines(stepped.output).count == 3)
        try place.write("edited.ndjson", text.replacing(#"{"by":2}"#, with: #"{"by":20}"#))
        let again = try Products.run([
            "replay", "\(place.path)/edited.ndjson", counter, "--at", "instant",
            "--reduce-again", "--patch",
        ])
        #expect(lines(again.output).last?.contains(#""value":24}"#) == true, "\(again.output)")

        let same = try Products.run(["what-if", "/counter", file])
        #expect(same.status == 0 && same.output == "\(file): all 3 entries come to the same\n")
        // What one of a hundred sessions has done, today's reducer would not do.
        for number in 100..<200 {
            let other = text.replacing(#""value":3}"#, with: #""value":4}"#)
            try place.write("folder/\(number).ndjson", number == 157 ? other : text)
        }
        let other = try Products.run(["what-if", "counter", "\(place.path)/folder"])
        #expect(other.status == 1)
        #expect(
            lines(other.output).count { $0.hasSuffix(": all 3 entries come to the same") } == 99)
        #expect(
            other.output.contains(
                "157.ndjson: The entry of version 2 comes to another state than it did, at /count"))
        #expect(
            other.output.contains("@Test func `CounterApplication decides version 2 as it did`"))
        for (arguments, status) in [
            (["what-if", "/counter", "/none"], 66), (["what-if", "/episodes", file], 65),
            (["replay", "/none", counter], 66), (["record", "\(session)s"], 13),
            (["replay", "\(place.path)/edited.ndjson", "\(server.base)/episodes"], 65),
            (["record", session, "--output", "/none/a"], 74),
        ] as [([String], Int32)] {
            #expect(try Products.run(arguments).status == status, "\(arguments)")
        }
    }

    @Test func `follow a server that is killed and starts again, and show each change once`() throws
    {
        let journal = "\(place.path)/journal"
        var server = try StatecastServer(journal: journal)
        let session = "\(server.base)/counter/sessions/demo"
        #expect(
            try Products.run(["dispatch", "--make", session, "incremented", #"{"by":2}"#]).status
                == 0)
        let watch = try RunningProcess(Products.statecast, ["watch", session, "--changes", "2"])
        let tail = try RunningProcess(Products.statecast, ["tail", session])
        _ = try watch.firstLine { $0.contains(#""state":{"count":2}"#) ? $0 : nil }
        _ = try tail.firstLine { $0.contains(#""version":1,"#) ? $0 : nil }
        #expect(try Products.run(["dispatch", session, "incremented", #"{"by":1}"#]).status == 0)
        #expect(try watch.firstLine { $0 }.contains(#""old":2,"value":3"#))
        #expect(try tail.firstLine { $0 }.contains(#""version":2,"#))
        // An action that changes nothing is shown by the log, and by no state.
        #expect(try Products.run(["dispatch", session, "incremented", #"{"by":0}"#]).status == 0)
        #expect(try tail.firstLine { $0 }.contains(#""version":3,"#))
        let port = server.port
        server.running.killNow()
        server = try StatecastServer(port: port, journal: journal)
        #expect(try Products.run(["dispatch", session, "incremented", #"{"by":1}"#]).status == 0)
        #expect(try watch.firstLine { $0 }.contains(#""old":3,"value":4"#))
        #expect(try tail.firstLine { $0 }.contains(#""version":4,"#))
        watch.process.waitUntilExit()
        #expect(watch.process.terminationStatus == 0)
        tail.process.interrupt()
        tail.process.waitUntilExit()
        #expect(tail.process.terminationReason == .exit && tail.process.terminationStatus == 130)
    }

    /// A command, whose errors are among its output, and which ends by status 124 where it goes on.
    private func started(_ arguments: String) throws -> RunningProcess {
        let command = "exec timeout 120 \(Products.statecast.path) \(arguments) 2>&1"
        return try RunningProcess(URL(filePath: "/bin/sh"), ["-c", command])
    }

    /// What a command that follows a session says last, and its status.
    private func end(of command: RunningProcess) throws -> (status: Int32, line: String) {
        var last = ""
        while let line = try? command.firstLine({ $0 }) { last = line }
        command.process.waitUntilExit()
        return (command.process.terminationStatus, last)
    }

    /// Asks a route of `/cards` as the one whose cookies a file has, and keeps what it gives.
    private func ask(_ route: String, _ body: String, as name: String, of server: StatecastServer)
        throws
    {
        let jar = "\(place.path)/\(name)"
        let asked = try Products.run(
            ["-sSf", "-b", jar, "-c", jar, "-H", "Content-Type: application/json", "-d", body]
                + ["\(server.base)/cards/\(route)"], of: URL(filePath: "/usr/bin/curl"))
        #expect(asked.status == 0, "\(asked.errors)")
    }

    @Test func `end where the session does, and where who asks may not follow it any more`() throws
    {
        let journal = "\(place.path)/journal"
        var server = try StatecastServer(["--operator", "Ada"], journal: journal)
        let token = try #require(server.operatorToken)
        try ask("sign-in", #"{"name":"Ada","token":"\#(token)"}"#, as: "ada", of: server)
        try ask("sign-in", #"{"name":"Ben"}"#, as: "ben", of: server)
        let lobby = "\(server.base)/cards/lobby/sessions/lobby --cookie-jar \(place.path)"
        let watch = try started("watch \(lobby)/ben")
        _ = try watch.firstLine { $0.contains(#""state":"#) ? $0 : nil }
        let tail = try started("tail \(lobby)/ada")
        func open() throws {
            try ask("sign-in", #"{"name":"Cleo"}"#, as: "cleo", of: server)
            let action = #"'{"type":"opened","payload":{"name":"Friday","seats":2}}'"#
            #expect(try end(of: started("dispatch \(lobby)/cleo \(action)")).status == 0)
        }
        try open()
        _ = try watch.firstLine { $0.contains("Friday") ? $0 : nil }
        _ = try tail.firstLine { $0.contains(#""type":"opened""#) ? $0 : nil }

        try ask("sign-out", "{}", as: "ben", of: server)
        let left = try end(of: watch)
        #expect(left.status == 77 && left.line.hasSuffix(" [unauthenticated]"), "\(left)")

        // The next start does not name her: she may still see the lobby, and its log no more.
        let port = server.port
        server.running.killNow()
        server = try StatecastServer(port: port, journal: journal)
        try open()
        let refused = try end(of: tail)
        #expect(refused.status == 77 && refused.line.hasSuffix(" [forbidden]"), "\(refused)")

        let counter = "\(server.base)/counter/sessions/demo"
        #expect(try Products.run(["dispatch", "--make", counter, "reset"]).status == 0)
        let followers = try ["watch", "tail -n 1"].map { try started("\($0) \(counter)") }
        for follower in followers { _ = try follower.firstLine { $0 } }
        _ = try Products.run(["-sSf", "-X", "DELETE", counter], of: URL(filePath: "/usr/bin/curl"))
        for follower in followers {
            let ended = try end(of: follower)
            #expect(ended.status == 13 && ended.line.hasSuffix(" [session-ended]"), "\(ended)")
        }
    }

    @Test func `are coloured on a terminal, end in silence with their reader, and are completed`()
        throws
    {
        let server = try StatecastServer()
        let session = "\(server.base)/counter/sessions/demo"
        #expect(try Products.run(["dispatch", "--make", session, "reset"]).status == 0)
        let command = "\(Products.statecast.path) state \(session)"
        func shell(_ script: String) throws -> (status: Int32, output: String, errors: String) {
            try Products.run(["-c", script], of: URL(filePath: "/bin/bash"))
        }
        let colored = try shell(
            "env -u NO_COLOR TERM=xterm script -qec '\(command)' /dev/null < /dev/null")
        #expect(
            colored.output == "{\r\n  \u{1b}[34m\"count\"\u{1b}[0m: \u{1b}[36m0\u{1b}[0m\r\n}\r\n")
        let plain = try shell(
            "NO_COLOR=1 TERM=xterm script -qec '\(command)' /dev/null < /dev/null")
        #expect(plain.output == "{\r\n  \"count\": 0\r\n}\r\n")
        let many = "for i in {1..300}; do echo '{\"type\":\"reset\"}'; done"
        let piped = try shell(
            "\(many) | \(Products.statecast.path) dispatch \(session) | head -1; echo ${PIPESTATUS[1]}"
        )
        #expect(
            lines(piped.output).count == 2 && piped.output.hasSuffix("\n141\n")
                && piped.errors == "")
        #expect(
            try shell(
                "source <(\(Products.statecast.path) completion bash) && complete -p statecast"
            ).status == 0)
        for output in ["/dev/full", "&-"] {
            let lost = try shell("\(command) >\(output)")
            #expect(lost.status == 74 && lost.errors.hasSuffix("[output-lost]\n"), "\(output)")
        }
        try place.write("_statecast", try Products.run(["completion", "zsh"]).output)
        let zsh = "fpath=(\(place.path) $fpath); autoload -Uz compinit; compinit -D -u"
        let found = try Products.run(
            ["-fc", "\(zsh); print $_comps[statecast]; autoload +X _statecast"],
            of: URL(filePath: "/usr/bin/zsh"))
        #expect(found.status == 0 && found.output == "_statecast\n" && found.errors == "")
        try place.write("statecast.fish", try Products.run(["completion", "fish"]).output)
        let completed = try Products.run(
            ["-Nc", "source \(place.path)/statecast.fish; complete -C 'statecast wat'"],
            of: URL(filePath: "/usr/bin/fish"))
        #expect(completed.output.hasPrefix("watch\t") && lines(completed.output).count == 1)
    }
}

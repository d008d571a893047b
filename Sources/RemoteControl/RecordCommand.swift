import ArgumentParser
import Bytes
import ClientWire
import Glibc
import Sockets
import StateCoding

/// Writes down what a session has done.
struct RecordCommand: RemoteCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Writes what a session has done: all that its journal keeps.",
        discussion: """
            The first line is about the session, with the state that it begins with, each further one an entry \
            with its patch. "replay" plays it, and "what-if" of a program that serves the application reduces \
            its actions again.

            \(ExitReason.table)
            """)

    @OptionGroup var options: RemoteOptions

    @Option(
        name: [.customShort("o"), .long],
        help: "The file, which is there once all is; without it the recording is the output.",
        completion: .file())
    var output: String?

    @Option(help: "Ends behind this version; without it behind the last one.")
    var through: UInt64?

    init() {}

    func validate() throws { _ = try options.address.ofSession() }

    @MainActor func perform(on remote: Remote) async throws {
        let url = try options.address.ofSession() + "/recording"
        let lost = MirrorProblem(
            "output-lost", "The recording cannot be written: \(output ?? "the output").")
        let file: NewFile?
        do throws(SystemError) {
            file = try output.map { (path) throws(SystemError) in try NewFile(path) }
        } catch {
            throw lost
        }
        var joint = RecordingJoint()
        var query: String? = "?from=0" + (through.map { "&through=\($0)" } ?? "")
        while let page = query {
            let answer = try await remote.get(url + page)
            let lines = String(decoding: try joint.lines(of: answer.body), as: UTF8.self)
            guard file?.append(lines) ?? ProcessEnd.write(lines, to: 1) else { throw lost }
            query = answer.next
        }
        guard let file, let output else { return }
        guard file.publish() else { throw lost }
        remote.terminal.tell("\(joint.count) entries are in \(output).")
    }
}

/// Makes one recording of its parts, each of which begins with a line about the session.
struct RecordingJoint {
    private(set) var count = 0
    /// That of the last entry, and what all parts have in common.
    private var last: UInt64?
    private var created: String?
    /// The times that `at` counts from in the first part and in this one, in milliseconds.
    private var starts = (first: 0, present: 0)

    /// The lines that a part adds.
    mutating func lines(of part: [UInt8]) throws(MirrorProblem) -> [UInt8] {
        var (output, isFirst) = ([UInt8](), true)
        for line in part.split(separator: UInt8(ascii: "\n")) {
            let value: JSONValue
            do throws(DecodingFailure) {
                value = try JSONValue(written: Array(line).span)
            } catch {
                throw MirrorProblem("not-http", "This is no recording: \(error.detail)")
            }
            guard let version = value["version"]?.integer.flatMap({ UInt64(exactly: $0) }) else {
                throw MirrorProblem("not-http", "This is no recording.")
            }
            if isFirst {
                isFirst = false
                try begin(value, at: version)
                if last == nil { output += line + [UInt8(ascii: "\n")] }
                last = last ?? version
            } else if version > last ?? 0 {
                append(line, at: value["at"], to: &output)
                (last, count) = (version, count + 1)
            }
        }
        return output
    }

    private mutating func begin(_ head: JSONValue, at version: UInt64) throws(MirrorProblem) {
        let start =
            head["start"]?.string.flatMap { CalendarDate(parsing: $0) }?
            .millisecondsSince1970 ?? 0
        starts = (last == nil ? start : starts.first, start)
        let isSame = last == nil || created == head["created"]?.string
        created = head["created"]?.string
        guard isSame, version <= last ?? version else {
            throw MirrorProblem(
                "busy", "Meanwhile the session has begun anew, or forgotten: record it again.",
                status: 503)
        }
    }

    private func append(_ line: ArraySlice<UInt8>, at time: JSONValue?, to output: inout [UInt8]) {
        var line = Array(line)
        if starts.first != starts.present, let time, let at = time.integer {
            let sum = at.addingReportingOverflow(starts.present - starts.first)
            line.replaceSubrange(time.range, with: "\(sum.partialValue)".utf8)
        }
        output += line + [UInt8(ascii: "\n")]
    }
}

/// Plays what a session has done.
struct PlaybackCommand: RemoteCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Plays a recording in a new session that takes nothing, for the role inspect.",
        discussion: """
            statecast replay demo.ndjson localhost:8080/counter --at 4x

            The first line of the output names the new session, each further one is an entry, as it is played. \
            By "--at step" each line of the input plays one.

            \(ExitReason.table)
            """)

    @Argument(help: "The recording.", completion: .file())
    var file: String

    @OptionGroup var options: RemoteOptions

    @Option(
        help: "1x to 1000x, step or instant.", completion: .list(["1x", "4x", "step", "instant"]))
    var at = "1x"

    @Flag(
        help:
            "Plays what the server's build makes of the recorded actions, in place of the patches.")
    var reduceAgain = false

    @Flag(inversion: .prefixedNo, help: "Shows the entries until the last one is played.")
    var follow = true

    @Flag(help: "Shows what each entry has changed.")
    var patch = false

    init() {}

    func validate() throws {
        let isSpeed = at.last == "x" && Int(at.dropLast()).map { (1...1_000).contains($0) } ?? false
        guard isSpeed || ["step", "instant"].contains(at) else {
            throw ValidationError("--at is 1x to 1000x, step or instant.")
        }
        guard options.address.session == nil else {
            throw ValidationError("A replay is a session of its own: give the application's URL.")
        }
    }

    @MainActor func perform(on remote: Remote) async throws {
        let body = Array(try TextFile.text(of: file).utf8)
        // Asked again, it makes no second session.
        let key = String(UInt64.random(in: .min ... .max), radix: 36)
        let type = [
            "Content-Type": "application/x-ndjson", "Idempotency-Key": "\"\(key)\"",
        ]
        let answer = try await remote.ask(
            ClientRequest(
                "POST",
                "\(options.address.sessions)?replay=\(at)\(reduceAgain ? "&reduce=again" : "")",
                fields: type.merging(remote.fields) { $1 }, body: body))
        let made = try JSONValue.parsing(answer.body)
        guard let id = made["id"]?.string,
            let first = made["replay"]?["first"]?.integer.flatMap({ UInt64(exactly: $0) }),
            let last = made["replay"]?["last"]?.integer.flatMap({ UInt64(exactly: $0) }),
            let token = made["token"]?.string.flatMap({ Token($0) })
        else { throw MirrorProblem("not-http", "The replay is not described.", status: 200) }
        let session = "\(options.address.sessions)/\(id)"
        let terminal = remote.terminal
        try terminal.write(terminal.isTerminal ? session : made.line)
        guard follow else { return }
        var reader = LogReader(
            session: session, last: Token(epoch: token.epoch, version: first),
            withPatch: patch, remote: remote)
        try await reader.read()
        guard at != "step" else { return try await step(&reader, through: last) }
        guard reader.last.version < last else { return }
        try await Follower(of: session, behind: reader.last, on: remote).run { news in
            if case .version(let token) = news { try await reader.read(upTo: token) }
            return reader.last.version >= last
        }
    }

    @MainActor private func step(
        _ reader: inout LogReader, through last: UInt64
    ) async throws {
        let remote = reader.remote
        if isatty(0) == 1 { remote.terminal.tell("Return plays the next entry.") }
        while reader.last.version < last, readLine() != nil {
            // By its version, for a lost answer: sent twice it is one step, too.
            let type = ["Content-Type": "application/json"]
            let request = ClientRequest(
                "POST", "\(reader.session)/replay", fields: type.merging(remote.fields) { $1 },
                body: Array(#"{"version":\#(reader.last.version + 1)}"#.utf8))
            _ = try await remote.ask(request)
            try await reader.read()
        }
    }
}

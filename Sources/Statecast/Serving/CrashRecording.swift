import Bytes
import Journaling
import Logging
import Redux
import Sockets
import StateCoding

/// What operators are told of the end of the process before.
struct CrashReport {
    private static let file = "crashes.ndjson"
    /// So many of the actions before are told at most, of the session and of others.
    private static let actionCount = 16

    private let crash: Crash
    private let actions: [JSONValue]
    /// The place of the one that was being reduced; nil: none was.
    private let place: Int?
    private var command: String?

    private init(_ crash: Crash) {
        self.crash = crash
        // What the process has ended within is no JSON.
        let actions = crash.actions.compactMap { noted in
            let value = try? JSONValue(written: noted.json.span)
            return value.map { (value: $0, isReducing: noted.isReducing) }
        }
        self.actions = actions.map(\.value)
        place = actions.lastIndex(where: \.isReducing)
    }

    /// Tells of the crash that a page has noted, if there was one.
    ///
    /// - Parameter address: the server's: `http://127.0.0.1:8080`.
    static func tell(
        of page: CrashPage, _ configuration: ServerConfiguration, at address: String
    ) async {
        guard let crash = page.former, let directory = configuration.crashRecording else { return }
        var report = CrashReport(crash)
        report.command = await report.command(configuration.journal, address)
        if !page.tellFormer(by: report.line, in: file) {
            configuration.logger.error("\(directory)/\(file) cannot be written")
        }
        configuration.logger.critical("\(report.sentence(in: directory))")
    }

    /// The action that was reduced, or else the last one.
    private var named: JSONValue? { place.map { actions[$0] } ?? actions.last }

    /// One line, without what the action carries.
    private func sentence(in directory: String) -> String {
        var text = "The process before this one has ended by \(crash.signal)"
        text += place == nil ? ", in no reducer" : " while it reduced"
        if let named, let version = named["version"]?.integer {
            let type = named["action"]?["type"]?.string ?? "an action"
            let session = named["session"]?.string ?? ""
            let subject = named["recording"]?.string.map { "a recording of \($0)" } ?? session
            text += place == nil ? "; the last action was" : ""
            text += " \(type), version \(version) of \(subject)"
        }
        text += ". More is in the last line of \(directory)/\(Self.file)"
        guard let command else { return text + "." }
        text += "; what led to it" + (place == nil ? "" : ", without the action itself")
        return "\(text): \(command)"
    }

    /// The command that replays what the journal has kept of the session until then: in the place of what it
    /// has not kept others may stand soon.
    private func command(_ journal: any Journal, _ address: String) async -> String? {
        guard let name = named?["session"]?.string.flatMap({ SessionName($0) }),
            let version = named?["version"]?.integer.flatMap({ UInt64(exactly: $0) }),
            place == nil || version > 0
        else { return nil }
        let last = place == nil ? version : version - 1
        guard let kept = await Self.kept(of: name, upTo: last, by: journal) else { return nil }
        return """
            statecast record \(Self.quoted("\(address)\(name)")) --through \(kept) \
            --output crash.ndjson && \(Self.quoted(CommandLine.arguments[0])) what-if \
            \(name.mount.isEmpty ? "/" : Self.quoted(name.mount)) crash.ndjson
            """
    }

    /// The last version that a journal has kept of a session, up to one. What no journal has told of yet is
    /// no more than a few batches, and below that all is kept: a dozen questions find the border.
    private static func kept(
        of name: SessionName, upTo last: UInt64, by journal: any Journal
    ) async -> UInt64? {
        var kept: UInt64?
        var (next, first, beyond) = (last, last - min(last, 2_000), last + 1)
        while first < beyond {
            do throws(JournalFailure) {
                kept = try await journal.document(of: name, at: next).version
                first = next + 1
            } catch {
                guard case .compacted = error else { return nil }
                beyond = next
            }
            next = first + (beyond - first) / 2
        }
        return kept
    }

    /// As a shell reads it.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.allSatisfy { $0.isLetter || $0.isNumber || "/.:-_~%".contains($0) }
        return isPlain ? text : "'\(text.replacing("'", with: #"'\''"#))'"
    }

    /// All that is known, as one line of JSON.
    private var line: [UInt8] {
        let json = JSONWriter.object { writer in
            writer.member("signal", crash.signal)
            writer.member("build", crash.build)
            if let place { writer.member("reducing", json: actions[place].json.span) }
            let session = named?["session"]?.string
            let others = actions.indices.filter { $0 != place }.map { actions[$0] }
            for (name, isOwn) in [("before", true), ("beside", false)] {
                let list = others.filter { ($0["session"]?.string == session) == isOwn }
                writer.list(name, list.suffix(Self.actionCount)) { $0.value(json: $1.json.span) }
            }
            writer.list("addresses", crash.addresses)
            if let command { writer.member("replay", command) }
        }
        return json + [UInt8(ascii: "\n")]
    }
}

extension CrashPage.LastActions {
    /// A reducer whose actions are noted, without their secrets, as long as they are reduced.
    ///
    /// - Parameters:
    ///   - path: the session's.
    ///   - member: under this name: `session` or `recording`.
    ///   - hidesPayload: the type alone is noted.
    func noting<State, Action>(
        _ reducer: @escaping Reducer<State, Action>, _ coder: ActionCoder<Action>,
        of path: String, as member: String = "session", hidesPayload: Bool
    ) -> Reducer<State, Action> {
        let head = JSONWriter.object { $0.member(member, path) }
        return { [self] (state, action, step) throws(Rejection) in
            let json = Self.adding(to: head) { writer in
                writer.member("version", Int(step.version))
                writer.member("at", step.at.iso8601)
            }
            begin(json)
            defer { end() }
            // To write the action runs the application's code, too.
            let whole = Self.adding(to: json) { writer in
                if hidesPayload {
                    Self.add(coder.typeName(of: action), to: &writer)
                } else {
                    Self.add(action, coder, to: &writer)
                }
            }
            tell(whole)
            try reducer(&state, action, step)
        }
    }

    /// An application begins a session, on the word of a client.
    func begin(startOf session: SessionName, at time: Timestamp) {
        let json = JSONWriter.object { writer in
            writer.member("session", session.description)
            writer.member("version", 0)
            writer.member("at", time.iso8601)
            Self.add("start", to: &writer)
        }
        begin(json)
    }

    /// The object with further members.
    private static func adding(
        to json: [UInt8], _ fill: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter(appendingTo: Array(json.dropLast()))
        fill(&writer)
        writer.endObject()
        return writer.finish()
    }

    private static func add(_ type: String, to writer: inout JSONWriter) {
        writer.object("action") { $0.member("type", type) }
    }

    /// Of an action that has no room the beginning alone, as text, which may need twice as many bytes.
    private static func add<Action>(
        _ action: Action, _ coder: ActionCoder<Action>, to writer: inout JSONWriter
    ) {
        do throws(EncodingFailure) {
            var bytes: [UInt8] = []
            try coder.encode(action, into: &bytes)
            let room = CrashPage.jsonByteCount - writer.bytes.count - 100
            guard bytes.count > room else { return writer.member("action", json: bytes.span) }
            add(coder.typeName(of: action), to: &writer)
            writer.member("actionBytes", bytes.count)
            let beginning = bytes.prefix(max(0, room / 2 - 200))
            writer.member("actionBegins", String(decoding: beginning, as: UTF8.self))
        } catch {
            add(coder.typeName(of: action), to: &writer)
            writer.member("failure", error.detail)
        }
    }
}

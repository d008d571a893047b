import Journaling
import Logging
import Redux
import Sockets
import StateCoding

/// What operators are told of the end of the process before.
struct CrashReport {
    private static let file = "crashes.ndjson"

    /// One line, without what the action carries.
    let sentence: String
    /// All that is known, as one line of JSON.
    let line: [UInt8]

    /// - Parameters:
    ///   - address: the server's: `http://127.0.0.1:8080`.
    ///   - isKept: the journal has the sessions.
    init(_ crash: Crash, in directory: String, at address: String, isKept: Bool) {
        let actions = crash.actions.compactMap(Self.action)
        let place = actions.lastIndex(where: \.isReducing)
        let named = (place ?? actions.indices.last).map { actions[$0].value }
        var sentence = "The process before this one has ended by \(crash.signal)"
        var command: String?
        if let named, let session = named["session"]?.string,
            let version = named["version"]?.integer
        {
            let type = named["type"]?.string ?? "an action"
            sentence += place == nil ? ", in no reducer; the last action was" : " while it reduced"
            sentence += " \(type), version \(version) of \(session)"
            if let mount = session.firstRange(of: "/sessions/")?.lowerBound, isKept {
                let path = mount == session.startIndex ? "/" : String(session[..<mount])
                command = """
                    statecast record \(address)\(session) --through \(place == nil ? version : version - 1) \
                    --output crash.ndjson && \(CommandLine.arguments[0]) what-if \(path) crash.ndjson
                    """
            }
        } else {
            sentence += ", in no reducer"
        }
        self.sentence =
            sentence + ". More is in the last line of \(directory)/\(Self.file)"
            + (command.map { "; what led to it, without the action itself: \($0)" } ?? ".")

        var writer = JSONWriter()
        writer.beginObject()
        writer.member("signal", crash.signal)
        writer.member("build", crash.build)
        if let place { writer.member("reducing", json: actions[place].value.json.span) }
        let others = actions.indices.filter { $0 != place }
        writer.list("before", others) { $0.value(json: actions[$1].value.json.span) }
        writer.list("addresses", crash.addresses) { $0.value($1) }
        if let command { writer.member("replay", command) }
        writer.endObject()
        line = writer.finish() + [UInt8(ascii: "\n")]
    }

    /// Nil where the process has ended while it was written.
    private static func action(
        _ noted: Crash.Action
    ) -> (value: JSONValue, isReducing: Bool)? {
        do throws(DecodingFailure) {
            return (try JSONValue(parsing: noted.json.span, maximumDepth: 256), noted.isReducing)
        } catch {
            return nil
        }
    }

    /// Tells of the crash that a page has noted, if there was one.
    static func tell(of page: CrashPage, _ configuration: ServerConfiguration, at address: String) {
        guard let crash = page.former, let directory = configuration.crashRecording else { return }
        let report = CrashReport(
            crash, in: directory, at: address, isKept: configuration.journal.keepsEntries)
        if !page.tellFormer(by: report.line, in: file) {
            configuration.logger.error("\(directory)/\(file) cannot be written")
        }
        configuration.logger.critical("\(report.sentence)")
    }
}

extension CrashPage.LoopActions {
    /// The bytes of an action from which on its beginning is noted alone, as text, which may need twice as many.
    private static let actionByteCount = 4_096

    /// A reducer whose actions are noted, without their secrets, as long as they are reduced.
    ///
    /// - Parameters:
    ///   - session: its path.
    ///   - hidesPayload: the type alone is noted.
    func noting<State, Action>(
        _ reducer: @escaping Reducer<State, Action>, _ coder: ActionCoder<Action>,
        of session: String, hidesPayload: Bool
    ) -> Reducer<State, Action> {
        { [self] (state, action, step) throws(Rejection) in
            let (version, time, type) = (step.version, step.at, coder.typeName(of: action))
            begin(Self.json(session, version, at: time, type))
            defer { end() }
            // To write the action runs the application's code, too.
            if !hidesPayload {
                tell(
                    Self.json(session, version, at: time, type) { Self.add(action, coder, to: &$0) }
                )
            }
            try reducer(&state, action, step)
        }
    }

    /// Has an application begin a session, on the word of a client.
    func noting<Result, Failure: Error>(
        startOf session: String, at time: Timestamp, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        begin(Self.json(session, 0, at: time, "start"))
        defer { end() }
        return try body()
    }

    private static func json(
        _ session: String, _ version: UInt64, at time: Timestamp, _ type: String,
        _ addMore: (inout JSONWriter) -> Void = { _ in }
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("session", session)
        writer.member("version", version)
        writer.member("at", time.iso8601)
        writer.member("type", type)
        addMore(&writer)
        writer.endObject()
        return writer.finish()
    }

    private static func add<Action>(
        _ action: Action, _ coder: ActionCoder<Action>, to writer: inout JSONWriter
    ) {
        do throws(EncodingFailure) {
            var bytes: [UInt8] = []
            try coder.encode(action, into: &bytes)
            if bytes.count <= actionByteCount {
                writer.member("action", json: bytes.span)
            } else {
                writer.member("actionBytes", bytes.count)
                let beginning = bytes.prefix(actionByteCount / 2)
                writer.member("actionBegins", String(decoding: beginning, as: UTF8.self))
            }
        } catch {
            writer.member("failure", error.detail)
        }
    }
}

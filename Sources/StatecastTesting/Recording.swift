import Bytes
import FoundationEssentials
import Journaling
public import Redux
import Sessions
import StateCoding
public import Statecast
public import Testing

/// What a session has done, as the file tells it that `GET M/sessions/{id}/recording` gives.
///
///     @Test func `today's reducer does what it did with Friday's auction`() throws {
///         try Recording(of: Auction(), contentsOf: "Friday.ndjson").check()
///     }
///
/// No secret stands in a recording: in its actions and states `"<redacted>"` does.
public struct Recording<App: Application>: Sendable {
    /// One entry of a session.
    public struct Entry: Sendable {
        /// Its number.
        public let version: UInt64
        /// The time at which it was decided.
        public let at: Timestamp
        /// The one who sent the action; nil where the server itself did.
        public let by: Principal?
        /// The version that has caused it; nil for what came from outside.
        public let cause: UInt64?
        /// The bits that its random numbers came from, where it drew any.
        public let seed: Seed?
        /// Nil where the state was set by hand.
        public let action: App.Action?
        /// What it changed, as JSON (RFC 6902); nil: nothing, or it is not the last of its batch.
        let patch: [UInt8]?
    }

    /// The state that it begins with.
    public let initialState: App.State
    /// The version of that state.
    public let version: UInt64
    /// The entries in their order.
    public let entries: [Entry]
    /// The lines of the file, to be written to another one.
    public let text: String
    private let application: App
    private let epoch: String
    private let initialJSON: [UInt8]

    /// Reads a recording; throws a `TestFailure` that shows the line that is none of the application's.
    public init(of application: App, _ text: String) throws(TestFailure) {
        (self.application, self.text) = (application, text)
        let recording: ReplayedRecording
        do throws(RecordingFault) {
            var reader = try RecordingReader(
                Array(text.utf8), entryLimit: .max, stateByteLimit: .max)
            recording = try reader.read()
        } catch {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            throw .undecodable(
                String(lines[min(error.line, lines.count) - 1]),
                reason: "\(error.pointer.isEmpty ? "" : "\(error.pointer): ")\(error.detail)")
        }
        (epoch, version) = (recording.epoch, recording.version)
        initialJSON = recording.state.bytes
        initialState = try Self.read(initialJSON) {
            try StateDecoder().decode(App.State.self, from: $0)
        }
        let coder = try Self.read(initialJSON) { _ in try ActionCoder<App.Action>() }
        entries = try recording.entries.map { (entry) throws(TestFailure) in
            try Self.read(entry.head) {
                try Entry(entry, JSONValue(parsing: $0.span), coder)
            }
        }
    }

    private static func read<Value>(
        _ json: [UInt8], _ body: ([UInt8]) throws -> Value
    ) throws(TestFailure) -> Value {
        do {
            return try body(json)
        } catch {
            throw .undecodable(String(decoding: json, as: UTF8.self), reason: "\(error)")
        }
    }

    /// Reads a recording from a file.
    ///
    /// - Parameters:
    ///   - path: beside the test's file, unless it begins with a slash.
    ///   - testFile: the file of the test.
    public init(
        of application: App, contentsOf path: String, testFile: String = #filePath
    ) throws {
        let folder = URL(filePath: testFile).deletingLastPathComponent()
        let file = path.hasPrefix("/") ? URL(filePath: path) : folder.appending(path: path)
        try self.init(of: application, String(decoding: Data(contentsOf: file), as: UTF8.self))
    }

    /// Reduces each action again, as the step that its entry tells, and records an issue at the first
    /// entry that comes to another state than it did.
    ///
    /// - Parameter session: the one that steps tell.
    public func check(
        session: SessionID? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var state = initialState
        var document = PatchedDocument(initialJSON)
        var version = version
        /// The first entry of a batch, perhaps, that is not as far as its patch.
        var doubtful: (version: UInt64, lines: [String])?
        do {
            for entry in entries {
                version = entry.version
                if let patch = entry.patch { try document.apply(patch.span) }
                let recorded = document.bytes()
                guard let action = entry.action else {
                    state = try StateDecoder().decode(App.State.self, from: recorded)
                    continue
                }
                let step = Step(
                    by: entry.by, at: entry.at,
                    version: entry.version, session: session ?? .test, epoch: epoch,
                    seed: entry.seed ?? Seed(0), cause: entry.cause)
                try application.reduce(&state, action, step)
                let lines = try difference(of: state, from: recorded)
                if lines.isEmpty { doubtful = nil }
                if !lines.isEmpty, doubtful == nil { doubtful = (entry.version, lines) }
                if doubtful != nil, entry.patch != nil { break }
            }
        } catch {
            return fail(
                "The entry of version \(version) cannot be reduced: \(error)", sourceLocation)
        }
        guard let (version, lines) = doubtful else { return }
        fail(
            "The entry of version \(version) comes to another state than it did "
                + "(recorded → today's):" + list(lines), sourceLocation)
    }

    private func difference(of state: App.State, from recorded: [UInt8]) throws -> [String] {
        if try StateEncoder().bytes(of: state) == recorded { return [] }
        let former = try StateDecoder().decode(App.State.self, from: recorded)
        return former == state ? [] : StateDiff.lines(former, state)
    }
}

extension Recording.Entry {
    fileprivate init(
        _ entry: EncodedEntry, _ head: JSONValue, _ coder: ActionCoder<App.Action>
    ) throws {
        (version, at, patch) = (entry.version, entry.at, entry.patch)
        let isOfClient = head["origin"]?.string == Origin.client.rawValue
        by =
            try head["by"].map { try StateDecoder().decode(Principal.self, from: $0.json) }
            ?? (isOfClient ? .anonymous : nil)
        cause = head["cause"]?.integer.flatMap { UInt64(exactly: $0) }
        seed = head["seed"]?.string.flatMap(Seed.init)
        action = try head["action"].map { try coder.decodeLogged($0.json.span).action }
    }
}

extension Seed {
    /// 64 hexadecimal digits.
    fileprivate init?(_ text: String) {
        let digits = text.utf8.compactMap { Hexadecimal.value(of: $0) }
        guard digits.count == 64 else { return nil }
        self.init(bytes: (0..<32).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] })
    }
}

import Bytes
import FoundationEssentials
public import Redux
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
        let lines = text.split(separator: "\n")
        func read<Value>(
            _ line: Substring?, _ body: (JSONValue) throws -> Value?
        ) throws(TestFailure) -> Value {
            let line = line.map(String.init) ?? ""
            do {
                let value = try body(JSONDocument(parsing: Array(line.utf8).span).root)
                if let value { return value }
            } catch {
                throw .undecodable(line, reason: "\(error)")
            }
            throw .undecodable(line, reason: "It is no line of a recording.")
        }
        typealias Header = (
            json: [UInt8], state: App.State, epoch: String, version: UInt64, start: Int64,
            coder: ActionCoder<App.Action>
        )
        let header = try read(lines.first) { line -> Header? in
            guard let json = line["state"]?.json, let epoch = line["epoch"]?.string,
                let version = line["version"]?.integer.flatMap({ UInt64(exactly: $0) }),
                let start = line["start"]?.string.flatMap({ CalendarDate(parsing: $0) })
            else { return nil }
            return (
                json, try StateDecoder().decode(App.State.self, from: json), epoch,
                version, Int64(start.millisecondsSince1970), try ActionCoder()
            )
        }
        (initialJSON, initialState) = (header.json, header.state)
        (epoch, version) = (header.epoch, header.version)
        var entries: [Entry] = []
        for line in lines.dropFirst() {
            let entry = try read(line) { line -> Entry? in
                guard let version = line["version"]?.integer.flatMap({ UInt64(exactly: $0) }),
                    let at = line["at"]?.integer
                else { return nil }
                let isOfClient = line["origin"]?.string == Origin.client.rawValue
                return Entry(
                    version: version,
                    at: Timestamp(milliseconds: header.start + Int64(at)),
                    by: try line["by"].map {
                        try StateDecoder().decode(Principal.self, from: $0.json)
                    } ?? (isOfClient ? .anonymous : nil),
                    cause: line["cause"]?.integer.flatMap { UInt64(exactly: $0) },
                    seed: line["seed"]?.string.flatMap(Self.seed),
                    action: try line["action"].map {
                        try header.coder.decodeLogged($0.json.span).action
                    },
                    patch: line["patch"]?.json)
            }
            entries.append(entry)
        }
        self.entries = entries
    }

    /// 64 hexadecimal digits.
    private static func seed(_ text: String) -> Seed? {
        let digits = text.utf8.compactMap { Hexadecimal.value(of: $0) }
        guard digits.count == 64 else { return nil }
        return Seed(bytes: (0..<32).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] })
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

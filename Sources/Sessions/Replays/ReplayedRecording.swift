package import Bytes
package import Journaling
package import Redux
import StateCoding

/// The timeline of a session as a file tells it: a state, and the entries that followed.
///
///     {"application":"/counter","schema":1,"session":"demo","epoch":"k3f9","build":"6d93af…",
///      "start":"2026-11-21T09:30:00.123Z","version":0,"state":{"count":0}}
///     {"version":1,"at":1520,"origin":"client","action":{"type":"incremented"},"patch":[…]}
///
/// Each patch fits: `RecordingReader` has applied them all.
package struct ReplayedRecording: Sendable {
    /// The path of the application, `/counter`.
    package let application: String
    /// The version of its states' JSON.
    package var schema: Int
    /// The session's id; nil where it is not told.
    package let session: String?
    /// The build that has written it; nil where it is not told.
    package let build: String?
    /// That of its first entries, or of the session; empty where it is not told.
    package fileprivate(set) var epoch: String
    /// The time that the entries' times count from.
    package let start: Timestamp
    /// The version of the state that it begins with.
    package let version: UInt64
    /// That state, as compact JSON.
    package var state: SharedBytes
    /// The entries, each a version behind the one before it.
    package var entries: [EncodedEntry] = []
    /// The state behind the last of them.
    package var end: SharedBytes
    /// The number of each entry's line, from 1.
    package fileprivate(set) var lines: [Int] = []
    /// The epochs that entries have begun, by their versions: what was reverted goes on in another one.
    fileprivate var epochs: [(version: UInt64, epoch: String)] = []

    /// The epoch in which an entry was decided.
    package func epoch(at version: UInt64) -> String {
        epochs.last { $0.version <= version }?.epoch ?? epoch
    }

    /// The first line of a recording.
    ///
    /// - Parameter created: when the session was made.
    package static func header(
        of application: String, schema: Int, session: String?, epoch: String,
        build: String?, created: String? = nil, start: String, version: UInt64, state: [UInt8]
    ) -> [UInt8] {
        let json = JSONWriter.object { writer in
            writer.member("application", application)
            writer.member("schema", schema)
            if let session { writer.member("session", session) }
            writer.member("epoch", epoch)
            if let build { writer.member("build", build) }
            if let created { writer.member("created", created) }
            writer.member("start", start)
            writer.member("version", version)
            writer.member("state", json: state.span)
        }
        return json + [UInt8(ascii: "\n")]
    }
}

/// The reason why bytes are no recording: the line, and what is wrong with it.
package struct RecordingFault: Error, Sendable, Hashable {
    /// The line, from 1.
    package let line: Int
    /// The place in that line, a JSON Pointer (RFC 6901).
    package let pointer: String
    /// A sentence that may be shown to the client.
    package let detail: String

    package init(line: Int, pointer: String, detail: String) {
        (self.line, self.pointer, self.detail) = (line, pointer, detail)
    }
}

/// Reads a recording from a stranger: JSON Lines, of which every patch has to fit.
///
/// It takes time in proportion to the bytes, and is meant for a task that may take its time; a task
/// that is cancelled reads no further.
package struct RecordingReader {
    /// Objects and arrays within each other: a state has 128 of its own, and stands within the
    /// header, or within an operation of an entry's patch.
    private static let headerDepth = 129
    private static let entryDepth = 131
    /// The members of an entry that are kept as they stand, in their order.
    private static let keptMembers = [
        "origin", "kind", "cause", "by", "seed", "key", "batch", "action", "rejection",
    ]

    /// The recording, as far as it is read: first its beginning.
    package private(set) var recording: ReplayedRecording
    private var lines: RecordingLines
    private let entryLimit: Int
    private let stateByteLimit: Int

    /// Reads the first line.
    ///
    /// - Parameters:
    ///   - entryLimit: the most entries of a recording.
    ///   - stateByteLimit: the most bytes of the states that it begins and ends with.
    package init(
        _ text: [UInt8], entryLimit: Int, stateByteLimit: Int
    ) throws(RecordingFault) {
        self.entryLimit = entryLimit
        self.stateByteLimit = stateByteLimit
        lines = RecordingLines(text: text)
        guard let line = try lines.next(maximumDepth: Self.headerDepth) else {
            throw RecordingFault(
                line: 1, pointer: "", detail: "A recording begins with a line about its session.")
        }
        let version = try lines.integer("version", of: line, from: 0)
        guard let start = CalendarDate(parsing: try lines.string("start", of: line)) else {
            throw lines.fault("A time like 2026-11-21T09:30:00.123Z is expected.", at: "/start")
        }
        let state = SharedBytes(try lines.member("state", of: line).json)
        recording = ReplayedRecording(
            application: try lines.string("application", of: line),
            schema: try lines.integer("schema", of: line, from: 0),
            session: line["session"]?.string, build: line["build"]?.string,
            epoch: line["epoch"]?.string ?? "",
            start: Timestamp(milliseconds: Int64(start.millisecondsSince1970)),
            version: UInt64(version), state: state, end: state)
        try check(state)
    }

    /// Reads all lines behind the first.
    package mutating func read() throws(RecordingFault) -> ReplayedRecording {
        var document = PatchedDocument(recording.state.bytes)
        while let line = try lines.next(maximumDepth: Self.entryDepth) {
            guard !Task.isCancelled else { throw lines.fault("It was read no further.") }
            guard recording.entries.count < entryLimit else {
                throw lines.fault("A recording has at most \(entryLimit) entries here.")
            }
            let entry = try entry(
                line, version: recording.version + UInt64(recording.entries.count) + 1)
            do throws(PatchFailure) {
                if let patch = entry.patch { try document.apply(patch.span) }
            } catch {
                throw lines.fault(
                    "The patch does not fit: \(error.detail)",
                    at: error.operation.map { "/patch/\($0)" } ?? "/patch")
            }
            recording.entries.append(entry)
            recording.lines.append(lines.number)
            if let epoch = line["epoch"]?.string {
                if recording.epochs.isEmpty, let former = line["former"]?.string {
                    recording.epoch = former
                }
                recording.epochs.append((entry.version, epoch))
            }
            try group(by: line)
        }
        recording.end = SharedBytes(document.bytes())
        try check(recording.end)
        return recording
    }

    private func check(_ state: SharedBytes) throws(RecordingFault) {
        guard state.count <= stateByteLimit else {
            throw lines.fault("A state has at most \(stateByteLimit) bytes here.")
        }
    }

    private func entry(_ line: JSONValue, version: UInt64) throws(RecordingFault) -> EncodedEntry {
        guard try lines.integer("version", of: line, from: 0) == version else {
            throw lines.fault("The entry of version \(version) is expected.", at: "/version")
        }
        let at = try lines.integer("at", of: line)
        _ = try lines.string("origin", of: line)
        let head = JSONWriter.object { writer in
            for name in Self.keptMembers {
                if let member = line[name] { writer.member(name, json: member.json.span) }
            }
        }
        let patch = line["patch"]
        if let patch, patch.elements == nil {
            throw lines.fault("A patch is an array.", at: "/patch")
        }
        let time = Timestamp(milliseconds: recording.start.milliseconds + Int64(at))
        // Clocks are set back; a replay goes on.
        return EncodedEntry(
            version: version, at: max(recording.entries.last?.at ?? time, time),
            head: head, patch: patch?.json)
    }

    /// Entries that were decided together were never seen between: the record of the last one tells
    /// how many they are.
    private mutating func group(by line: JSONValue) throws(RecordingFault) {
        guard let record = line["batch"] else { return }
        let bytes = Array((record.string ?? "").utf8)
        let indices = recording.entries.indices
        // No entry is of two batches: each line could go through all before it.
        guard let count = BatchRecord.entryCount(of: bytes, limit: indices.count),
            case let inner = indices.dropLast().suffix(max(0, count - 1)),
            inner.allSatisfy({ recording.entries[$0].isLast })
        else {
            throw lines.fault("A batch tells how many of the entries are its own.", at: "/batch")
        }
        for index in inner {
            guard recording.entries[index].patch == nil else {
                throw lines.fault("A batch has one patch, on its last entry.", at: "/batch")
            }
            recording.entries[index].isLast = false
        }
    }
}

/// The lines of a recording, each an object, read one after the other.
private struct RecordingLines {
    /// The versions and times that are taken: integers that a double holds, too.
    private static let integers = -(1 << 53)...(1 << 53)

    let text: [UInt8]
    /// The number of the line that was read last, from 1.
    private(set) var number = 0
    private var position = 0

    init(text: [UInt8]) { self.text = text }

    /// The object in the next line that is not blank, compact.
    mutating func next(maximumDepth: Int) throws(RecordingFault) -> JSONValue? {
        while position < text.count {
            let end = text[position...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
            let line = text[position..<end]
            position = end + 1
            number += 1
            guard line.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { continue }
            return try parse(Array(line), maximumDepth)
        }
        return nil
    }

    private func parse(
        _ line: [UInt8], _ maximumDepth: Int
    ) throws(RecordingFault) -> JSONValue {
        do throws(DecodingFailure) {
            let document = try JSONValue(line: line.span, maximumDepth: maximumDepth)
            if document.members != nil { return document }
        } catch {
            throw fault(error.detail, at: "\(error.pointer)")
        }
        throw fault("A line is a JSON object.")
    }

    /// What is wrong with the line that was read last.
    func fault(_ detail: String, at pointer: String = "") -> RecordingFault {
        RecordingFault(line: number, pointer: pointer, detail: detail)
    }

    func member(_ name: String, of line: JSONValue) throws(RecordingFault) -> JSONValue {
        guard let member = line[name] else { throw fault("The line has no member \"\(name)\".") }
        return member
    }

    func string(_ name: String, of line: JSONValue) throws(RecordingFault) -> String {
        guard let string = try member(name, of: line).string else {
            throw fault("A string is expected.", at: "/\(name)")
        }
        return string
    }

    func integer(
        _ name: String, of line: JSONValue, from least: Int = .min
    ) throws(RecordingFault) -> Int {
        guard let number = try member(name, of: line).integer, Self.integers.contains(number),
            number >= least
        else { throw fault("An integer is expected.", at: "/\(name)") }
        return number
    }
}

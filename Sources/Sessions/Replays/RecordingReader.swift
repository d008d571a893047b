import Bytes
import Journaling
import Redux
import StateCoding

/// The reason why bytes are no recording: the line, and what is wrong with it.
package struct RecordingFault: Error, Sendable, Hashable {
    /// The line, from 1.
    package let line: Int
    /// The place in that line, a JSON Pointer (RFC 6901).
    package let pointer: String
    /// A sentence that may be shown to the client.
    package let detail: String

    init(line: Int, at pointer: String = "", _ detail: String) {
        self.line = line
        self.pointer = pointer
        self.detail = detail
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
        "origin", "kind", "cause", "by", "seed", "key", "batch", "action",
    ]

    package let header: Recording.Header
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
            throw RecordingFault(line: 1, "A recording begins with a line about its session.")
        }
        let version = try line.integer("version", from: 0)
        guard let start = CalendarDate(parsing: try line.string("start")) else {
            throw line.fault(
                "A time like 2026-11-21T09:30:00.123Z is expected.", at: "/start")
        }
        let state = SharedBytes(try line.member("state").json)
        header = Recording.Header(
            application: try line.string("application"),
            schema: try line.integer("schema", from: 0),
            start: Timestamp(milliseconds: Int64(start.millisecondsSince1970)),
            version: UInt64(version), state: state)
        try check(header.state, line.number)
    }

    /// Reads all lines behind the first.
    package mutating func read() throws(RecordingFault) -> Recording {
        var state = PatchedState(header.state.bytes, at: header.version)
        var entries: [EncodedEntry] = []
        while let line = try lines.next(maximumDepth: Self.entryDepth) {
            guard !Task.isCancelled else { throw line.fault("It was read no further.") }
            guard entries.count < entryLimit else {
                throw line.fault("A recording has at most \(entryLimit) entries here.")
            }
            let entry = try entry(
                line, version: state.version + 1, after: entries.last?.at ?? header.start)
            do throws(PatchFailure) {
                try state.apply(entry.patch)
            } catch {
                throw line.fault(
                    "The patch does not fit: \(error.detail)",
                    at: error.operation.map { "/patch/\($0)" } ?? "/patch")
            }
            entries.append(entry)
            try group(&entries, by: line)
        }
        let end = SharedBytes(state.bytes())
        try check(end, lines.number)
        return Recording(header: header, entries: entries, end: end)
    }

    private func check(_ state: SharedBytes, _ line: Int) throws(RecordingFault) {
        guard state.count <= stateByteLimit else {
            throw RecordingFault(line: line, "A state has at most \(stateByteLimit) bytes here.")
        }
    }

    private func entry(
        _ line: RecordingLine, version: UInt64, after last: Timestamp
    ) throws(RecordingFault) -> EncodedEntry {
        guard try line.integer("version", from: 0) == version else {
            throw line.fault("The entry of version \(version) is expected.", at: "/version")
        }
        let at = try line.integer("at")
        _ = try line.string("origin")
        var writer = JSONWriter()
        writer.beginObject()
        for name in Self.keptMembers {
            if let member = line.value[name] { writer.member(name, json: member.json.span) }
        }
        writer.endObject()
        let patch = line.value["patch"]
        if let patch, patch.elements == nil {
            throw line.fault("A patch is an array.", at: "/patch")
        }
        // Clocks are set back; a replay goes on.
        let time = max(last, Timestamp(milliseconds: header.start.milliseconds + Int64(at)))
        return EncodedEntry(version: version, at: time, head: writer.finish(), patch: patch?.json)
    }

    /// Entries that were decided together were never seen between: the record of the last one tells
    /// how many they are.
    private func group(
        _ entries: inout [EncodedEntry], by line: RecordingLine
    ) throws(RecordingFault) {
        guard let record = line.value["batch"] else { return }
        let bytes = Array((record.string ?? "").utf8)
        guard let count = BatchRecord.entryCount(of: bytes, limit: entries.count) else {
            throw line.fault("A batch tells how many of the entries are its own.", at: "/batch")
        }
        for index in entries.indices.dropLast().suffix(max(0, count - 1)) {
            guard entries[index].patch == nil else {
                throw line.fault("A batch has one patch, on its last entry.", at: "/batch")
            }
            entries[index].isLast = false
        }
    }
}

/// The lines of a recording, read one after the other.
private struct RecordingLines {
    let text: [UInt8]
    /// The number of the line that was read last, from 1.
    private(set) var number = 0
    private var position = 0

    init(text: [UInt8]) {
        self.text = text
    }

    /// The object in the next line that is not blank, compact.
    mutating func next(maximumDepth: Int) throws(RecordingFault) -> RecordingLine? {
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
    ) throws(RecordingFault) -> RecordingLine {
        do throws(DecodingFailure) {
            var document = try JSONDocument(parsing: line.span, maximumDepth: maximumDepth)
            let compact = CompactJSON.bytes(of: line.span)
            if compact.count < line.count {
                document = try JSONDocument(parsing: compact.span, maximumDepth: maximumDepth)
            }
            if document.root.members != nil {
                return RecordingLine(number: number, value: document.root)
            }
        } catch {
            throw RecordingFault(line: number, at: "\(error.pointer)", error.detail)
        }
        throw RecordingFault(line: number, "A line is a JSON object.")
    }
}

/// An object in a line of a recording.
private struct RecordingLine {
    /// The versions and times that are taken: integers that a double holds, too.
    private static let integers = -(1 << 53)...(1 << 53)

    let number: Int
    let value: JSONValue

    func fault(_ detail: String, at pointer: String = "") -> RecordingFault {
        RecordingFault(line: number, at: pointer, detail)
    }

    func member(_ name: String) throws(RecordingFault) -> JSONValue {
        guard let member = value[name] else { throw fault("The line has no member \"\(name)\".") }
        return member
    }

    func string(_ name: String) throws(RecordingFault) -> String {
        guard let string = try member(name).string else {
            throw fault("A string is expected.", at: "/\(name)")
        }
        return string
    }

    func integer(_ name: String, from least: Int = .min) throws(RecordingFault) -> Int {
        guard let number = try member(name).integer, Self.integers.contains(number),
            number >= least
        else { throw fault("An integer is expected.", at: "/\(name)") }
        return number
    }
}

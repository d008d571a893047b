import Bytes
import Redux
import Journaling
import StateCoding

/// Reads a recording from a stranger: JSON Lines, of which every patch has to fit.
///
/// It takes time in proportion to the bytes, and is meant for a task that may take its time; a task
/// that is cancelled reads no further.
package struct RecordingReader: Sendable {
    /// Objects and arrays within each other: a state has 128 of its own, and stands within the
    /// header, or within an operation of an entry's patch.
    private static let headerDepth = 129
    private static let entryDepth = 131
    /// The versions and times that are taken: integers that a double holds, too.
    private static let integers = -(1 << 53)...(1 << 53)
    /// The members of an entry that are kept as they stand, in their order.
    private static let keptMembers = [
        "origin", "kind", "cause", "by", "seed", "key", "batch", "action",
    ]

    private let entryLimit: Int
    private let stateByteLimit: Int

    /// - Parameters:
    ///   - entryLimit: the most entries of a recording.
    ///   - stateByteLimit: the most bytes of the states that it begins and ends with.
    package init(entryLimit: Int, stateByteLimit: Int) {
        self.entryLimit = entryLimit
        self.stateByteLimit = stateByteLimit
    }

    /// The first line of a recording.
    package func readHeader(of text: [UInt8]) throws(RecordingFault) -> Recording.Header {
        var lines = RecordingLines()
        return try readHeader(text.span, &lines)
    }

    /// The recording that a file holds.
    package func read(_ text: [UInt8]) throws(RecordingFault) -> Recording {
        let bytes = text.span
        var lines = RecordingLines()
        let header = try readHeader(bytes, &lines)
        var document = PatchedDocument(header.state.bytes)
        var entries: [EncodedEntry] = []
        while let json = lines.next(bytes) {
            guard !Task.isCancelled else { throw lines.fault("It was read no further.") }
            guard entries.count < entryLimit else {
                throw lines.fault("A recording has at most \(entryLimit) entries here.")
            }
            let value = try parse(json, maximumDepth: Self.entryDepth, lines)
            let entry = try entry(
                value, version: Int(header.version) + entries.count + 1, since: header.start,
                after: entries.last?.at ?? header.start, lines)
            if let patch = entry.patch { try apply(patch, to: &document, lines) }
            entries.append(entry)
            try group(&entries, by: value["batch"], lines)
        }
        return Recording(
            header: header, entries: entries,
            end: try checked(SharedBytes(document.bytes()), lines))
    }

    private func readHeader(
        _ text: Span<UInt8>, _ lines: inout RecordingLines
    ) throws(RecordingFault) -> Recording.Header {
        guard let first = lines.next(text) else {
            throw RecordingFault(line: 1, "A recording begins with a line about its session.")
        }
        let header = try parse(first, maximumDepth: Self.headerDepth, lines)
        let version = try integer("version", of: header, from: 0, lines)
        let start = try start(of: header, lines)
        guard let state = header["state"] else { throw missing("state", lines) }
        return Recording.Header(
            application: try string("application", of: header, lines),
            schema: try integer("schema", of: header, from: 0, lines), start: start,
            version: UInt64(version), state: try checked(SharedBytes(state.json), lines))
    }

    private func checked(
        _ state: SharedBytes, _ lines: RecordingLines
    ) throws(RecordingFault) -> SharedBytes {
        guard state.count <= stateByteLimit else {
            throw lines.fault("A state has at most \(stateByteLimit) bytes here.")
        }
        return state
    }

    /// Entries that were decided together were never seen between: the record of the last one tells
    /// how many they are.
    private func group(
        _ entries: inout [EncodedEntry], by record: JSONValue?, _ lines: RecordingLines
    ) throws(RecordingFault) {
        guard let record else { return }
        let bytes = Array((record.string ?? "").utf8)
        guard let count = BatchRecord.entryCount(of: bytes, limit: entries.count) else {
            throw lines.fault("A batch tells how many of the entries are its own.", at: "/batch")
        }
        for index in entries.indices.dropLast().suffix(max(0, count - 1)) {
            guard entries[index].patch == nil else {
                throw lines.fault("A batch has one patch, on its last entry.", at: "/batch")
            }
            entries[index].isLast = false
        }
    }

    // MARK: Lines

    /// The object in a line, compact.
    private func parse(
        _ line: [UInt8], maximumDepth: Int, _ lines: RecordingLines
    ) throws(RecordingFault) -> JSONValue {
        do throws(DecodingFailure) {
            var document = try JSONDocument(parsing: line.span, maximumDepth: maximumDepth)
            let compact = CompactJSON.bytes(of: line.span)
            if compact.count < line.count {
                document = try JSONDocument(parsing: compact.span, maximumDepth: maximumDepth)
            }
            if document.root.members != nil { return document.root }
        } catch {
            throw lines.fault(error.detail, at: "\(error.pointer)")
        }
        throw lines.fault("A line is a JSON object.")
    }

    private func entry(
        _ value: JSONValue, version: Int, since start: Timestamp, after last: Timestamp,
        _ lines: RecordingLines
    ) throws(RecordingFault) -> EncodedEntry {
        guard try integer("version", of: value, from: 0, lines) == version else {
            throw lines.fault("The entry of version \(version) is expected.", at: "/version")
        }
        let at = try integer("at", of: value, from: Self.integers.lowerBound, lines)
        _ = try string("origin", of: value, lines)
        var writer = JSONWriter()
        writer.beginObject()
        for name in Self.keptMembers {
            if let member = value[name] { writer.member(name, json: member.json.span) }
        }
        writer.endObject()
        let patch = value["patch"]
        if let patch, patch.elements == nil {
            throw lines.fault("A patch is an array.", at: "/patch")
        }
        // Clocks are set back; a replay goes on.
        let time = max(last, Timestamp(milliseconds: start.milliseconds + Int64(at)))
        return EncodedEntry(
            version: UInt64(version), at: time, head: writer.finish(), patch: patch?.json,
            isLast: true)
    }

    private func apply(
        _ patch: [UInt8], to document: inout PatchedDocument, _ lines: RecordingLines
    ) throws(RecordingFault) {
        do throws(PatchFailure) {
            try document.apply(patch.span)
        } catch {
            throw lines.fault(
                "The patch does not fit: \(error.detail)",
                at: error.operation.map { "/patch/\($0)" } ?? "/patch")
        }
    }

    // MARK: Members

    private func start(
        of header: JSONValue, _ lines: RecordingLines
    ) throws(RecordingFault) -> Timestamp {
        guard let moment = CalendarDate(parsing: try string("start", of: header, lines)) else {
            throw lines.fault("A time like 2026-11-21T09:30:00.123Z is expected.", at: "/start")
        }
        return Timestamp(milliseconds: Int64(moment.millisecondsSince1970))
    }

    private func string(
        _ name: String, of value: JSONValue, _ lines: RecordingLines
    ) throws(RecordingFault) -> String {
        guard let member = value[name] else { throw missing(name, lines) }
        guard let string = member.string else {
            throw lines.fault("A string is expected.", at: "/\(name)")
        }
        return string
    }

    private func integer(
        _ name: String, of value: JSONValue, from least: Int, _ lines: RecordingLines
    ) throws(RecordingFault) -> Int {
        guard let member = value[name] else { throw missing(name, lines) }
        guard let number = member.integer, Self.integers.contains(number), number >= least else {
            throw lines.fault("An integer is expected.", at: "/\(name)")
        }
        return number
    }

    private func missing(_ name: String, _ lines: RecordingLines) -> RecordingFault {
        lines.fault("The line has no member \"\(name)\".")
    }
}

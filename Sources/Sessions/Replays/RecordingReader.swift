import Bytes
import Redux
import StateCoding

/// Reads a recording from a stranger: JSON Lines, of which every patch has to fit.
///
/// It takes time in proportion to the bytes, and is meant for a thread that may take its time.
package struct RecordingReader {
    /// Objects and arrays within each other, in a line: a state has 128 of its own.
    private static let maximumDepth = 132
    /// The versions and times that are taken: integers that a double holds, too.
    private static let integers = -(1 << 53)...(1 << 53)
    /// The members of an entry that are kept as they stand, in their order.
    private static let keptMembers = [
        "origin", "kind", "cause", "by", "seed", "key", "batch", "action",
    ]

    private let entryLimit: Int
    private var line = 0

    private init(entryLimit: Int) {
        self.entryLimit = entryLimit
    }

    /// The recording that a file holds.
    ///
    /// - Parameter entryLimit: the most entries that it may have.
    package static func read(
        _ text: [UInt8], entryLimit: Int
    ) throws(RecordingFault) -> Recording {
        var reader = RecordingReader(entryLimit: entryLimit)
        return try reader.read(text.span)
    }

    private mutating func read(_ text: Span<UInt8>) throws(RecordingFault) -> Recording {
        var rest = 0..<text.count
        guard let first = nextLine(text, &rest) else {
            throw RecordingFault(line: 1, "A recording begins with a line about its session.")
        }
        let header = try parse(first)
        let version = try integer("version", of: header, from: 0)
        let start = try start(of: header)
        guard let state = header["state"] else { throw missing("state") }
        var document = PatchedDocument(state.json)
        var entries: [LoggedEntry] = []
        var end = start
        while let json = nextLine(text, &rest) {
            guard entries.count < entryLimit else {
                throw fault("A recording has at most \(entryLimit) entries here.")
            }
            let entry = try entry(
                try parse(json), version: version + entries.count + 1, since: start, after: end)
            if let patch = entry.patch { try apply(patch, to: &document) }
            entries.append(entry)
            end = entry.at
        }
        return Recording(
            application: try string("application", of: header),
            schema: try integer("schema", of: header, from: 0), start: start,
            version: UInt64(version), state: SharedBytes(state.json), entries: entries,
            end: SharedBytes(document.bytes()))
    }

    // MARK: Lines

    /// The next line that is not blank, compact.
    private mutating func nextLine(_ text: Span<UInt8>, _ rest: inout Range<Int>) -> [UInt8]? {
        while !rest.isEmpty {
            line += 1
            let start = rest.lowerBound
            let end = rest.first { text[$0] == UInt8(ascii: "\n") } ?? rest.upperBound
            rest = min(end + 1, rest.upperBound)..<rest.upperBound
            let json = CompactJSON.bytes(of: text.extracting(start..<end))
            if !json.isEmpty { return json }
        }
        line += 1
        return nil
    }

    private func parse(_ json: [UInt8]) throws(RecordingFault) -> JSONValue {
        let document: JSONDocument
        do throws(DecodingFailure) {
            document = try JSONDocument(parsing: json.span, maximumDepth: Self.maximumDepth)
        } catch {
            throw RecordingFault(line: line, pointer: "\(error.pointer)", error.detail)
        }
        guard document.root.members != nil else { throw fault("A line is a JSON object.") }
        return document.root
    }

    private func entry(
        _ value: JSONValue, version: Int, since start: Timestamp, after last: Timestamp
    ) throws(RecordingFault) -> LoggedEntry {
        guard try integer("version", of: value, from: 0) == version else {
            throw RecordingFault(
                line: line, pointer: "/version", "The entry of version \(version) is expected.")
        }
        let at = try integer("at", of: value, from: Self.integers.lowerBound)
        _ = try string("origin", of: value)
        var writer = JSONWriter()
        writer.beginObject()
        for name in Self.keptMembers {
            if let member = value[name] { writer.member(name, json: member.json.span) }
        }
        writer.endObject()
        let patch = value["patch"]
        if let patch, patch.elements == nil {
            throw RecordingFault(line: line, pointer: "/patch", "A patch is an array.")
        }
        // Clocks are set back; a replay goes on.
        let time = max(last, Timestamp(milliseconds: start.milliseconds + Int64(at)))
        return LoggedEntry(
            version: UInt64(version), at: time, head: writer.finish(), patch: patch?.json,
            isLast: true)
    }

    private func apply(
        _ patch: [UInt8], to document: inout PatchedDocument
    ) throws(RecordingFault) {
        do throws(PatchFailure) {
            try document.apply(patch.span)
        } catch {
            throw RecordingFault(
                line: line, pointer: error.operation.map { "/patch/\($0)" } ?? "/patch",
                "The patch does not fit: \(error.detail)")
        }
    }

    // MARK: Members

    private func start(of header: JSONValue) throws(RecordingFault) -> Timestamp {
        guard let moment = CalendarDate(parsing: try string("start", of: header)) else {
            throw RecordingFault(
                line: line, pointer: "/start", "A time like 2026-11-21T09:30:00.123Z is expected.")
        }
        return Timestamp(milliseconds: Int64(moment.millisecondsSince1970))
    }

    private func string(_ name: String, of value: JSONValue) throws(RecordingFault) -> String {
        guard let member = value[name] else { throw missing(name) }
        guard let string = member.string else {
            throw RecordingFault(line: line, pointer: "/\(name)", "A string is expected.")
        }
        return string
    }

    private func integer(
        _ name: String, of value: JSONValue, from least: Int
    ) throws(RecordingFault) -> Int {
        guard let member = value[name] else { throw missing(name) }
        guard let number = member.integer, Self.integers.contains(number), number >= least else {
            throw RecordingFault(line: line, pointer: "/\(name)", "An integer is expected.")
        }
        return number
    }

    private func missing(_ name: String) -> RecordingFault {
        fault("The line has no member \"\(name)\".")
    }

    private func fault(_ detail: String) -> RecordingFault { RecordingFault(line: line, detail) }
}

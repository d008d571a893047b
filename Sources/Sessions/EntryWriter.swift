import Bytes
import Journaling
import Redux
import StateCoding

/// Writes entries as a journal keeps them.
enum EntryWriter {
    /// The contents of entries. The key, and for a batch the outcomes of its actions, stand in the
    /// last of them, and so does the patch.
    ///
    /// - Parameter state: the state behind the last entry; nil where they have not changed it.
    static func contents(
        of encoded: EncodedEntries, _ state: [UInt8]?, _ batch: StagedBatch, _ key: RequestKey?
    ) -> [EntryContent] {
        encoded.entries.enumerated().map { index, entry in
            let isLast = index == encoded.entries.count - 1
            return EntryContent(
                at: entry.at,
                head: head(
                    of: entry, isLast ? batch.record : nil, isLast ? key : nil, withPrint: true),
                patch: isLast ? state.map(replacement) : nil)
        }
    }

    /// The entries as a session's log shows them. The print of a request's body is left out: what a
    /// secret is could be found by trying.
    ///
    /// - Parameter patch: what all of them have done to the state; nil where they have not changed it.
    static func logged(
        _ encoded: EncodedEntries, _ batch: StagedBatch, _ key: RequestKey?, _ patch: [UInt8]?
    ) -> [LoggedEntry] {
        encoded.entries.enumerated().map { index, entry in
            let isLast = index == encoded.entries.count - 1
            return LoggedEntry(
                version: entry.version, at: entry.at,
                head: head(
                    of: entry, isLast ? batch.record : nil, isLast ? key : nil, withPrint: false),
                patch: isLast ? patch : nil, isLast: isLast)
        }
    }

    /// The entry as JSON without version, time and patch: see `EntryContent`.
    private static func head(
        of entry: EncodedEntries.Entry, _ record: [UInt8]?, _ key: RequestKey?, withPrint: Bool
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("origin", entry.origin.rawValue)
        if entry.action == nil { writer.member("kind", "replaced") }
        if let cause = entry.cause { writer.member("cause", cause) }
        if let principal = entry.by, !principal.isAnonymous {
            writer.name("by")
            write(principal, to: &writer)
        }
        if let seed = entry.seed {
            var digits: [UInt8] = []
            for byte in seed.bytes {
                digits += [Hexadecimal.digit(byte >> 4), Hexadecimal.digit(byte & 15)]
            }
            writer.member("seed", String(decoding: digits, as: UTF8.self))
        }
        if let key {
            writer.member("key", key.text)
            if withPrint { writer.member("print", String(key.print, radix: 16)) }
        }
        if let record { writer.member("batch", String(decoding: record, as: UTF8.self)) }
        if let action = entry.action { writer.member("action", json: action.span) }
        writer.endObject()
        return writer.bytes
    }

    /// `{"id":"alice","roles":["admin"]}`; roles are sorted, and left out where there are none.
    private static func write(_ principal: Principal, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", principal.id)
        if !principal.roles.isEmpty {
            writer.name("roles")
            writer.beginArray()
            for role in principal.roles.sorted() { writer.value(role) }
            writer.endArray()
        }
        writer.endObject()
    }

    /// The patch that replaces the whole state: `[{"op":"replace","path":"","value":…}]`.
    private static func replacement(by state: [UInt8]) -> [UInt8] {
        Array("[{\"op\":\"replace\",\"path\":\"\",\"value\":".utf8) + state + Array("}]".utf8)
    }
}

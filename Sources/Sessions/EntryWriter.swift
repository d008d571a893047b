import Journaling
import Redux
import StateCoding

/// Writes entries as a journal keeps them.
enum EntryWriter {
    /// The contents of entries. The key, and for a batch the outcomes of its actions, stand in the
    /// last of them, and so does the patch.
    static func contents(
        of encoded: EncodedEntries, _ batch: StagedBatch, _ key: RequestKey?, at time: Timestamp
    ) -> [EntryContent] {
        encoded.entries.enumerated().map { index, entry in
            let isLast = index == encoded.entries.count - 1
            return EntryContent(
                at: time, head: head(of: entry, isLast ? batch.record : nil, isLast ? key : nil),
                patch: isLast ? encoded.state.map(replacement) : nil)
        }
    }

    /// The entry as JSON without version, time and patch: see `EntryContent`.
    private static func head(
        of entry: EncodedEntries.Entry, _ record: [UInt8]?, _ key: RequestKey?
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("origin", entry.origin.rawValue)
        if let cause = entry.cause { writer.member("cause", cause) }
        if let key {
            if !key.principal.isEmpty {
                writer.name("by")
                writer.beginObject()
                writer.member("id", key.principal)
                writer.endObject()
            }
            writer.member("key", key.text)
            writer.member("print", String(key.print, radix: 16))
        }
        if let record { writer.member("batch", String(decoding: record, as: UTF8.self)) }
        writer.member("action", json: entry.action.span)
        writer.endObject()
        return writer.bytes
    }

    /// The patch that replaces the whole state: `[{"op":"replace","path":"","value":…}]`.
    private static func replacement(by state: [UInt8]) -> [UInt8] {
        Array("[{\"op\":\"replace\",\"path\":\"\",\"value\":".utf8) + state + Array("}]".utf8)
    }
}

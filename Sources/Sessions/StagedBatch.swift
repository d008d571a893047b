import Bytes
import Journaling
public import Redux
public import StateCoding

/// Entries that the reducer has made and that go to the journal, without the application's types.
@usableFromInline
package struct StagedBatch {
    /// The version of the last entry.
    var version: UInt64
    /// The number of entries.
    var count: Int
    /// Another entry caused these: they do not come from a client's request.
    var isCaused: Bool
    /// For a posted batch, the outcome of each of its actions.
    var outcomes: [Outcome]

    @usableFromInline
    package init(version: UInt64, count: Int, isCaused: Bool, outcomes: [Outcome]) {
        self.version = version
        self.count = count
        self.isCaused = isCaused
        self.outcomes = outcomes
    }

    private var record: [UInt8]? {
        BatchRecord.write(outcomes.isEmpty ? nil : outcomes, entryCount: UInt64(count))
    }

    /// Encodes the entries with their actions, and the state behind them as far as it is not what a
    /// former form holds of it.
    @usableFromInline
    package typealias Encode = (
        _ former: EncodedForm?, _ keepsSecrets: Bool
    ) throws(EncodingFailure) -> EncodedBatch

    /// Hands entries over to the session's journal.
    @usableFromInline
    package typealias Append = (_ batch: StagedBatch, _ encode: Encode) -> Keeping
}

/// Entries that were decided together, with their actions as bytes.
@usableFromInline
package struct EncodedBatch {
    let entries: [(entry: Entry, action: [UInt8]?)]
    /// The state behind them, and the way there; nil where they have not changed it.
    let change: EncodedChange?
    /// For a journal, what they do to the session's work.
    let work: WorkNews?

    @usableFromInline
    package init(
        _ entries: [(entry: Entry, action: [UInt8]?)], _ change: EncodedChange?, _ work: WorkNews?
    ) {
        (self.entries, self.change, self.work) = (entries, change, work)
    }
}

extension StagedBatch {
    /// The entries as a journal and a log keep them. The key, for a batch the outcomes of its actions,
    /// and the patch stand in the last of them.
    ///
    /// - Parameter isKnown: the state before them was known as a form; else the patch is all of it.
    func encoded(
        _ encoded: EncodedBatch, _ key: RequestKey?, isKnown: Bool, epoch: String
    ) -> [EncodedEntry] {
        let change = encoded.change
        let patch =
            isKnown ? change?.patch?.operations : change.map { Self.replacement(by: $0.form) }
        let secrets = isKnown ? change?.secrets : change?.form.secrets()
        // Work counts the last one that has changed the state as its cause.
        let cause = encoded.entries.last { $0.entry.changed } ?? encoded.entries.last
        return encoded.entries.map { entry, action in
            let isLast = entry.version == version
            let news = entry.version == cause?.entry.version ? encoded.work : nil
            return EncodedEntry(
                version: entry.version, at: entry.at,
                head: Self.head(
                    of: entry, action, isLast ? record : nil, isLast ? key : nil, news, epoch),
                print: isLast ? key?.print : nil, patch: isLast ? patch : nil,
                secrets: isLast ? secrets.map { Secret($0.value.operations) } : nil,
                isLast: isLast)
        }
    }

    private static func replacement(by form: EncodedForm) -> [UInt8] {
        EncodedEntry.replacement(by: form.bytes())
    }

    /// The entry as JSON without version, time and patch.
    private static func head(
        of entry: Entry, _ action: [UInt8]?, _ record: [UInt8]?, _ key: RequestKey?,
        _ news: WorkNews?, _ epoch: String
    ) -> [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(256 + (action?.count ?? 0))
        var writer = JSONWriter(appendingTo: consume head)
        writer.beginObject()
        if entry.version == 1 { writer.member("epoch", epoch) }
        if let news, !news.isEmpty { write(news, to: &writer) }
        writer.member("origin", entry.origin.rawValue)
        if action == nil {
            writer.member("kind", entry.origin == .server ? "migrated" : "replaced")
        }
        if let cause = entry.cause { writer.member("cause", cause) }
        write(entry.by, to: &writer)
        if let seed = entry.seed {
            let digits = seed.bytes.flatMap {
                [Hexadecimal.digit($0 >> 4), Hexadecimal.digit($0 & 15)]
            }
            writer.member("seed", String(decoding: digits, as: UTF8.self))
        }
        if let key { writer.member("key", key.text) }
        if let record { writer.member("batch", String(decoding: record, as: UTF8.self)) }
        if let action { writer.member("action", json: action.span) }
        writer.endObject()
        return writer.bytes
    }

    /// The head of an entry by which a principal has set the state of before again, in another epoch.
    ///
    /// - Parameter former: the epoch of the entries before it, where that is known.
    package static func head(
        revertedBy principal: Principal, epoch: String, after former: String?
    ) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("epoch", epoch)
            writer.member("origin", Origin.inspector.rawValue)
            writer.member("kind", "reverted")
            if let former { writer.member("former", former) }
            write(principal, to: &writer)
        }
    }

    /// In front, where who rebuilds the records of the work looks for it.
    private static func write(_ news: WorkNews, to writer: inout JSONWriter) {
        writer.list("starts", news.starts)
        writer.list("ends", news.ends)
        if let done = news.done { writer.member("done", done) }
    }

    /// `"by":{"id":"alice","roles":["admin"]}`, of an anonymous one nothing; roles are sorted, and left
    /// out where there are none.
    private static func write(_ principal: Principal?, to writer: inout JSONWriter) {
        guard let principal, let id = principal.id else { return }
        writer.object("by") { writer in
            writer.member("id", id)
            if !principal.roles.isEmpty { writer.list("roles", principal.roles.sorted()) }
        }
    }
}

extension EncodedEntry {
    /// Appends the entry as JSON, in one line.
    ///
    ///     {"version":43,"at":1795302855123,"origin":"client","by":{"id":"alice"},"key":"8e03",
    ///      "action":{"type":"list/added","payload":"milk"},
    ///      "patch":[{"op":"add","path":"/items/3","value":"milk"}]}
    ///
    /// - Parameters:
    ///   - start: the time that `at` counts from, in milliseconds; nil for 1970.
    ///   - withPatch: writes the patch, where there is one.
    package func append(
        to output: inout [UInt8], since start: Timestamp? = nil, withPatch: Bool
    ) {
        let head = headLine
        precondition(head.count > 2, "An entry has an origin.")
        output.append(contentsOf: "{\"version\":".utf8)
        output.append(decimal: version)
        let time = at.milliseconds.subtractingReportingOverflow(start?.milliseconds ?? 0)
        output.append(contentsOf: ",\"at\":\(time.overflow ? 0 : time.partialValue)".utf8)
        output.append(UInt8(ascii: ","))
        output.append(contentsOf: head[1..<head.count - 1])
        if withPatch, let patch {
            output.append(contentsOf: ",\"patch\":".utf8)
            output.append(contentsOf: patch)
        }
        output.append(UInt8(ascii: "}"))
    }
}

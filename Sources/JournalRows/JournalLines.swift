package import Journaling
package import Redux
package import Sodium
package import StateCoding

/// A session on its way from one journal to another: a line of JSON, with the oldest state that is kept;
/// its entries follow.
package struct SessionLine: Sendable {
    package let name: SessionName
    package let epoch: String
    package let created: Timestamp
    package let alarm: Timestamp?
    package let document: StoredDocument
    package var work: KeptWork?
    package var keys: KeyList?
    /// Of the journal that it comes from: where it hashes idempotency keys otherwise, they do not count.
    package let hashKey: [UInt8]?
    /// The state with its secrets.
    package let whole: [UInt8]?

    package init(_ line: JSONValue) throws {
        name = try line.member("session") { $0.string.flatMap { SessionName($0) } }
        whole = try line.secrets("whole")
        epoch = try line.member("epoch") { value in
            value.string.flatMap { Token("\($0)-0")?.epoch == $0 ? $0 : nil }
        }
        created = try line.time("created")
        alarm = line["alarm"]?.integer.map { Timestamp(milliseconds: Int64($0)) }
        let version = try line.number("version")
        document = StoredDocument(
            version: version, lastChange: try line.number("lastChange", through: version),
            lastTime: line["lastTime"] == nil ? nil : try line.time("lastTime"),
            schema: Int(try line.number("schema")), json: try line.member("state") { $0.json })
        (keys, hashKey) = (line.bytes("keys").map { KeyList(bytes: $0) }, line.bytes("hashKey"))
        do {
            _ = try keys?.decode()
        } catch {
            throw JournalRefusal("its keys are not allowed.")
        }
        work = try line.bytes("work").map { bytes in
            KeptWork(version: try line.number("workVersion"), bytes: bytes)
        }
    }
}

extension Passage {
    /// What is told of a session that cannot be exported whole.
    ///
    /// - Parameter version: up to which there are lines; nil where there are none.
    package static func loss(of name: String, behind version: UInt64?) -> String {
        "\(name) is damaged: "
            + (version.map { "no line is behind version \($0)." } ?? "it has no line.")
    }

    /// The line of a session, with the state that this begins with.
    ///
    /// - Parameters:
    ///   - hashKey: nil where secrets are left out.
    ///   - key: opens secrets; nil where they are left out.
    package func line(
        of session: SessionSummary, _ work: KeptWork?, hashKey: [UInt8]?, by key: SealingKey?
    ) throws(JournalFailure) -> [UInt8] {
        let (document, whole) = (base.document, try key.map(base.whole(by:)))
        return JSONWriter.object { writer in
            writer.member("session", session.name.description)
            writer.member("epoch", session.epoch)
            writer.member("created", session.created.milliseconds)
            if let alarm = session.alarm { writer.member("alarm", alarm.milliseconds) }
            writer.member("version", document.version)
            writer.member("lastChange", document.lastChange)
            if let time = document.lastTime { writer.member("lastTime", time.milliseconds) }
            writer.member("schema", document.schema)
            if let hashKey { writer.list("hashKey", hashKey) { $0.value($1) } }
            if let keys = base.keys { writer.list("keys", keys.bytes) { $0.value($1) } }
            if let work {
                writer.member("workVersion", work.version)
                writer.list("work", work.bytes) { $0.value($1) }
            }
            writer.member("state", json: document.json.span)
            if base.sealed != nil { writer.secrets("whole", whole) }
        }
    }
}

/// The batches of a session on its way into a journal.
package struct IncomingBatches {
    /// A batch, and the schema of the states from it on; nil where it is that of the state before.
    package typealias Batch = (entries: [EncodedEntry], schema: Int?)

    /// The epoch that the next entry begins, and that of the others; nil where that goes on.
    package let epochs: (next: String, former: String)?
    /// Idempotency keys count here as where they come from.
    private let hasKeys: Bool
    package private(set) var hasLostKeys: Bool
    /// Of the last batch that was given.
    package private(set) var version: UInt64
    private var lastTime: Timestamp
    private var batch: [EncodedEntry] = []

    /// - Parameter isReplacing: one that was there has its epoch.
    package init(_ line: inout SessionLine, hasKeys: Bool, isReplacing: Bool) {
        self.hasKeys = hasKeys
        epochs = isReplacing ? (Step.randomEpoch(), line.epoch) : nil
        hasLostKeys = !hasKeys && line.keys != nil
        if !hasKeys { line.keys = nil }
        if line.work == nil, isReplacing {
            // Works that nothing names are of the epoch in which the session began.
            line.work = KeptWork(since: 0, epoch: line.epoch)
        }
        version = line.document.version
        lastTime = line.document.lastTime ?? line.created
    }

    /// Takes in an entry; gives the batch that ends with it.
    package mutating func add(_ line: JSONValue) throws -> Batch? {
        var (entry, schema) = try EncodedEntry.read(line)
        hasLostKeys = hasLostKeys || !hasKeys && entry.print != nil
        if !hasKeys { entry.print = nil }
        let next = version + UInt64(batch.count) + 1
        guard entry.version == next else {
            throw JournalRefusal("its version is \(entry.version), and not \(next).")
        }
        (lastTime, _) = (entry.at, batch.append(entry))
        guard entry.isLast else { return nil }
        defer { (version, batch) = (next, []) }
        return (batch, schema)
    }

    /// Ends the entries; gives the one that begins another epoch.
    ///
    /// - Parameter now: of the wall clock, in milliseconds.
    package mutating func end(at now: Int64) throws -> Batch? {
        guard batch.isEmpty else { throw JournalRefusal("a batch has no last entry.") }
        guard let (next, former) = epochs else { return nil }
        version += 1
        let entry = EncodedEntry(
            version: version, at: max(Timestamp(milliseconds: now), lastTime),
            head: EncodedEntry.head(of: next, after: former), patch: nil)
        return ([entry], nil)
    }
}

extension EncodedEntry {
    /// The entry of a line, with its secrets, and the schema of the state behind it.
    package static func read(_ line: JSONValue) throws -> (entry: EncodedEntry, schema: Int) {
        let secrets = try line.secrets("secrets")
        let entry = EncodedEntry(
            version: try line.number("version"), at: try line.time("at"),
            head: try line.member("head") { $0.members == nil ? nil : $0.json },
            print: line["print"]?.string.flatMap { UInt128($0, radix: 16) },
            patch: line["patch"]?.json, secrets: secrets.map { Secret($0) },
            isLast: try line.member("isLast") { $0.bool })
        return (entry, Int(try line.number("schema")))
    }

    /// The head of an entry that begins an epoch in place of another. It says nothing of works: see
    /// `tellsOfWork`.
    fileprivate static func head(of epoch: String, after former: String) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("origin", "server")
            writer.member("kind", "reverted")
            writer.member("epoch", epoch)
            writer.member("former", former)
        }
    }
}

extension StoredEntry {
    /// - Parameter key: opens its secrets; nil where they are left out.
    package func line(by key: SealingKey?) throws(JournalFailure) -> [UInt8] {
        let secrets = try key.flatMap(secrets(by:))?.value
        return JSONWriter.object { writer in
            writer.member("version", version)
            writer.member("at", entry.at.milliseconds)
            writer.member("schema", schema)
            writer.member("isLast", isLast)
            if let print = entry.print { writer.member("print", String(print, radix: 16)) }
            writer.member("head", json: entry.headLine.span)
            if let patch = entry.patch { writer.member("patch", json: patch.span) }
            if sealed != nil { writer.secrets("secrets", secrets) }
        }
    }
}

extension JSONWriter {
    /// - Parameter json: in clear; nil where they are not exported.
    fileprivate mutating func secrets(_ name: String, _ json: [UInt8]?) {
        if let json { member(name, json: json.span) } else { member("redacted", true) }
    }
}

extension JSONValue {
    fileprivate func secrets(_ name: String) throws(JournalRefusal) -> [UInt8]? {
        guard self["redacted"] == nil else {
            throw JournalRefusal("it was exported without its secrets.")
        }
        return self[name]?.json
    }

    fileprivate func member<Value>(
        _ name: String, _ read: (JSONValue) -> Value?
    ) throws(JournalRefusal) -> Value {
        guard let member = self[name] else { throw JournalRefusal("it has no \(name).") }
        guard let value = read(member) else { throw JournalRefusal("its \(name) is not allowed.") }
        return value
    }

    fileprivate func number(
        _ name: String, through last: UInt64 = 1 << 53
    ) throws(JournalRefusal) -> UInt64 {
        try member(name) { value in
            value.integer.flatMap { UInt64(exactly: $0) }.flatMap { $0 <= last ? $0 : nil }
        }
    }

    fileprivate func bytes(_ name: String) -> [UInt8]? {
        self[name]?.elements?.compactMap { $0.integer.flatMap { UInt8(exactly: $0) } }
    }

    fileprivate func time(_ name: String) throws(JournalRefusal) -> Timestamp {
        try member(name) { value in
            let time = value.integer.map { Timestamp(milliseconds: Int64($0)) }
            return time?.isDate == true ? time : nil
        }
    }
}

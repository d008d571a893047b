import Journaling
import SQLite
import Sodium
import Threads

/// The keys by which secrets are sealed at rest: each session's own, which stands in its row, sealed by
/// the journal's, which stands in a file.
struct Sealing: Sendable {
    private let path: String
    private var master: SealingKey?
    private var keys: [Int64: SealingKey] = [:]

    /// - Parameter path: the file of the journal's key.
    init(_ path: String) { self.path = path }

    /// The key of a session; nil where it has none, unless it is to be made.
    mutating func key(
        of session: Int64, isMade: Bool = false, in database: Database
    ) throws -> SealingKey? {
        if let key = keys[session] { return key }
        let row = try database.first(
            "SELECT id, name, epoch, created, status, data_key FROM session WHERE id = ?1",
            .integer(session))
        guard let row else { return nil }
        let place = "key \(session)"
        if let sealed = row[5].optionalBytes {
            let master = try readMaster()
            guard let key = master?.open(sealed, at: place).flatMap({ SealingKey($0) }) else {
                throw JournalFailure.missingKey
            }
            keys[session] = key
            return key
        }
        guard isMade else { return nil }
        let key = SealingKey.make()
        let sealed = try makeMaster(in: database).seal(key.bytes, at: place)
        let values = (row.dropLast() + [.bytes(sealed)]).withSum()
        try database.run(
            "UPDATE session SET data_key = ?2, sum = ?3 WHERE id = ?1", values[0], values[5],
            values[6])
        keys[session] = key
        return key
    }

    /// A session is not used any more, or its row is not what it was a moment ago.
    mutating func drop(_ session: Int64? = nil) {
        if let session { keys[session] = nil } else { keys = [:] }
    }

    private mutating func readMaster() throws -> SealingKey? {
        if master == nil { master = PrivateFolder.readKey(path).flatMap { SealingKey($0) } }
        return master
    }

    /// Makes the key where no session has one yet: those that do are lost without the one that is
    /// missing, and must not look as if they were kept.
    private mutating func makeMaster(in database: Database) throws -> SealingKey {
        if let master = try readMaster() { return master }
        let used = try database.first(
            "SELECT 1 FROM session WHERE data_key IS NOT NULL LIMIT 1")
        guard used == nil else { throw JournalFailure.missingKey }
        let key = SealingKey.make()
        guard PrivateFolder.writeKey(key.bytes, to: path) else { throw JournalFailure.missingKey }
        master = key
        return key
    }
}

import ArgumentParser
import JournalPostgreSQL
import JournalSQLite
import Journaling
import Sockets
import Statecast

/// Where `serve` keeps its sessions, and how many bytes of them.
struct JournalPlace: ParsableArguments {
    private static let usual = "./.statecast/journal"
    private static let usualKey = "./.statecast/postgresql.key"

    @Option(
        help: ArgumentHelp(
            "A directory or PostgreSQL that keeps the sessions, or memory: they end with the process.",
            discussion: """
                By default \(usual), and memory with --benchmark. The directory is made where it is \
                missing, for this user alone; one server has it at a time. Servers share a database, \
                postgresql://user@host/database.
                """, valueName: "directory|URL|memory"))
    var journal: String?

    @Option(
        help: ArgumentHelp(
            "The bytes beyond which the oldest history goes, 64GiB unless set.",
            valueName: "bytes"))
    var journalBytes: String?

    @Option(
        help: ArgumentHelp(
            "The key by which secrets are sealed; journal.key in the directory unless set.",
            discussion: "For PostgreSQL \(usualKey): the same for all servers.", valueName: "file"))
    var keyFile: String?

    func validate() throws {
        guard journalBytes == nil || byteCount != nil else {
            throw ValidationError("--journal-bytes is a number of bytes such as 500MiB or 64GiB.")
        }
    }

    private var byteCount: Int? {
        journalBytes.flatMap { NamedLimit.Place.byteCount($0, limit: 1 << 50) }
    }

    /// Ends the process where the place cannot be had.
    ///
    /// - Returns: the journal, and where it is; nil for memory.
    func open(isBenchmark: Bool) -> (journal: any Journal, place: String)? {
        let place = journal ?? (isBenchmark ? "memory" : Self.usual)
        guard place != "memory" else { return nil }
        do throws(JournalRefusal) {
            if Self.isDatabase(place) { return try openDatabase(place) }
            var options = SQLiteJournal.Options()
            options.keyFile = keyFile
            if let byteCount { options.byteCount = Int64(byteCount) }
            return (try SQLiteJournal(directory: place, options: options), place)
        } catch {
            ProcessEnd.refuse(
                "\(error) --journal DIRECTORY takes another directory, --journal memory keeps nothing."
            )
        }
    }

    private func openDatabase(
        _ address: String
    ) throws(JournalRefusal) -> (journal: any Journal, place: String) {
        var options = PostgreSQLJournal.Options()
        options.keyFile = keyFile ?? Self.usualKey
        if let byteCount { options.byteCount = Int64(byteCount) }
        let journal = try PostgreSQLJournal(address, options: options)
        let warning = journal.hasStandby ? "" : ", which has no synchronous standby"
        return (journal, "PostgreSQL's database \(journal.place)\(warning)")
    }

    /// A place is a database, and no directory.
    static func isDatabase(_ place: String) -> Bool {
        place.hasPrefix("postgresql://") || place.hasPrefix("postgres://")
    }
}

import ArgumentParser
import JournalSQLite
import Journaling
import Sockets
import Statecast

/// Where `serve` keeps its sessions, and how many bytes of them.
struct JournalPlace: ParsableArguments {
    private static let usual = "./.statecast/journal"

    @Option(
        help: ArgumentHelp(
            "A directory that keeps the sessions, or memory: they end with the process.",
            discussion: """
                By default \(usual), and memory with --benchmark. The directory is made where it is \
                missing, for this user alone; one server has it at a time.
                """, valueName: "directory|memory"))
    var journal: String?

    @Option(
        help: ArgumentHelp(
            "The bytes beyond which the oldest history goes, 64GiB unless set.",
            valueName: "bytes"))
    var journalBytes: String?

    @Option(
        help: ArgumentHelp(
            "The key by which secrets are sealed; journal.key in the directory unless set.",
            valueName: "file"))
    var keyFile: String?

    func validate() throws {
        guard journalBytes == nil || byteCount != nil else {
            throw ValidationError("--journal-bytes is a number of bytes such as 500MiB or 64GiB.")
        }
    }

    private var byteCount: Int? {
        journalBytes.flatMap { NamedLimit.Place.byteCount($0, limit: 1 << 50) }
    }

    /// Ends the process where the directory cannot be had.
    ///
    /// - Returns: the journal, and the directory that it has; nil for memory.
    func open(isBenchmark: Bool) -> (journal: any Journal, directory: String)? {
        let directory = journal ?? (isBenchmark ? "memory" : Self.usual)
        guard directory != "memory" else { return nil }
        var options = SQLiteJournal.Options()
        options.keyFile = keyFile
        if let byteCount { options.byteCount = Int64(byteCount) }
        do throws(JournalRefusal) {
            return (try SQLiteJournal(directory: directory, options: options), directory)
        } catch {
            ProcessEnd.refuse(
                "\(error) --journal DIRECTORY takes another directory, --journal memory keeps nothing."
            )
        }
    }
}

import ArgumentParser
import JournalSQLite
import Journaling
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

    /// - Returns: the journal, and the directory that it has; nil for memory.
    func open(isBenchmark: Bool) throws -> (journal: any Journal, directory: String)? {
        let directory = journal ?? (isBenchmark ? "memory" : Self.usual)
        guard directory != "memory" else { return nil }
        var options = SQLiteJournal.Options()
        options.keyFile = keyFile
        if let byteCount { options.byteCount = Int64(byteCount) }
        do throws(JournalRefusal) {
            return (try SQLiteJournal(directory: directory, options: options), directory)
        } catch {
            throw PlaceRefusal(reason: error)
        }
    }
}

/// The sessions' directory cannot be had.
private struct PlaceRefusal: Error, CustomStringConvertible {
    let reason: JournalRefusal

    var description: String {
        "\(reason) --journal DIRECTORY takes another directory, --journal memory keeps nothing."
    }
}

import Glibc
package import Threads

/// The journal's folder, which one process has: made for its user alone, and locked.
///
/// Safety of its calls: each path is a Swift text, which C has for the length of the call.
package final class DataFolder: Sendable {
    /// Given up where the disk is full, so that trimming and erasing can be written.
    private static let reserveByteCount = 16 << 20

    private let folder: PrivateFolder
    package var path: String { folder.path }

    package init(_ path: String) throws(FolderRefusal) {
        folder = try PrivateFolder(path, lock: "journal.lock", hasFence: true)
        fillReserve()
    }

    package func unlock() { folder.unlock() }

    package var database: String { Self.database(in: path) }
    package static func database(in path: String) -> String { "\(path)/journal.sqlite" }
    private var copy: String { "\(path)/journal.copy" }
    private var reserve: String { "\(path)/journal.reserve" }

    /// There is something at a path, whoever may read it.
    package static func isFile(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Makes the database's file where there is none, for its user alone: SQLite gives its log the same
    /// mode. Refuses one in whose place a copy was to be.
    ///
    /// - Returns: true where the file is new, or empty.
    package func makeDatabase() throws(FolderRefusal) -> Bool {
        let isNew = try lacksDatabase()
        guard !isNew || !Self.isFile(copy) else {
            throw FolderRefusal(
                "\(copy) is a copy that was not finished: make it again, or remove it.")
        }
        if isNew {
            try make(database)
        } else if unsafe access(database, R_OK | W_OK) != 0 {
            // Not by opening it: closed again, it would take the locks along that SQLite has here (POSIX, fcntl),
            // and another process that looks at it would find nobody, and delete the log.
            throw FolderRefusal("\(database) cannot be opened: \(PrivateFolder.lastError).")
        }
        return isNew
    }

    /// Has a copy written to a file of another name, and on the disk, before that is the database: nobody takes
    /// one that was not finished for an empty journal.
    package func takeCopy(_ write: (_ path: String) throws -> Void) throws {
        try refuseDatabase()
        // What SQLite keeps beside a database that was not finished belongs to no other.
        for end in ["", "-journal", "-wal"] { unsafe unlink(copy + end) }
        try make(copy)
        try write(copy)
        // It may have been brought back meanwhile.
        try refuseDatabase()
        unsafe unlink("\(database)-journal")
        guard unsafe rename(copy, database) == 0 else {
            throw FolderRefusal("\(copy) cannot be renamed: \(PrivateFolder.lastError).")
        }
        sync()
    }

    private func refuseDatabase() throws(FolderRefusal) {
        guard try lacksDatabase() else { throw FolderRefusal("\(database) is there already.") }
    }

    /// Answers true where the database is missing, or empty. Refuses a log beside that: what is in it would be
    /// lost under a new one.
    private func lacksDatabase() throws(FolderRefusal) -> Bool {
        let log = "\(database)-wal"
        guard Self.byteCount(of: database) == 0 else { return false }
        guard Self.byteCount(of: log) == 0 else {
            throw FolderRefusal(
                "\(database) is missing or empty, and \(log) is not: bring it back.")
        }
        return true
    }

    private func make(_ path: String) throws(FolderRefusal) {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw FolderRefusal("\(path) cannot be opened: \(PrivateFolder.lastError).")
        }
        Glibc.close(file)
    }

    /// 0 where there is no such file.
    package static func byteCount(of path: String) -> Int {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The folder's own entry is on the disk, as the files made in it are.
    package func sync() { PrivateFolder.sync(path) }

    package func releaseReserve() { unsafe unlink(reserve) }

    /// Takes the room again; where there is none, later.
    package func fillReserve() {
        let file = unsafe open(reserve, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let failure = posix_fallocate(file, 0, off_t(Self.reserveByteCount))
        Glibc.close(file)
        if failure != 0 { unsafe unlink(reserve) }
    }
}

import Glibc
import Synchronization

/// A folder cannot be used; the description says what a person does about it.
package struct FolderRefusal: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// The journal's folder, which one process has: made for its user alone, and locked.
///
/// Safety of its calls: each path is a Swift text, which C has for the length of the call.
package final class DataFolder: Sendable {
    /// Given up where the disk is full, so that trimming and erasing can be written.
    private static let reserveByteCount = 16 << 20

    package let path: String
    /// The open lock; nil once another process may have the folder.
    private let lock: Mutex<Int32?>

    package init(_ path: String) throws(FolderRefusal) {
        self.path = path
        try Self.make(path)
        lock = Mutex(try Self.lock(path))
        fillReserve()
    }

    deinit { unlock() }

    package func unlock() {
        if let file = lock.withLock({ $0.take() }) { Glibc.close(file) }
    }

    package var database: String { Self.database(in: path) }
    package static func database(in path: String) -> String { "\(path)/journal.sqlite" }
    private var reserve: String { "\(path)/journal.reserve" }

    /// There is a file at a path that this process may read.
    package static func isFile(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }

    private static func make(_ path: String) throws(FolderRefusal) {
        for end in path.indices.dropFirst() where path[end] == "/" {
            unsafe mkdir(String(path[..<end]), 0o700)
        }
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw FolderRefusal("\(path) cannot be made: \(lastError).")
        }
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw FolderRefusal("\(path) is no folder.")
        }
        guard status.st_uid == geteuid() else {
            throw FolderRefusal(
                "\(path) belongs to user \(status.st_uid), and the server is user \(geteuid()).")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw FolderRefusal(
                "\(path) is open to others (mode \(String(status.st_mode & 0o777, radix: 8))): "
                    + "make it 0700.")
        }
    }

    private static func lock(_ folder: String) throws(FolderRefusal) -> Int32 {
        let path = "\(folder)/journal.lock"
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FolderRefusal("\(path) cannot be opened: \(lastError).") }
        // Where locks do not work, the fence ends the older server.
        if flock(file, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            let holder = readHolder(file)
            Glibc.close(file)
            throw FolderRefusal("\(folder) is in use by process \(holder).")
        }
        writeHolder(file)
        return file
    }

    private static func readHolder(_ file: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = unsafe pread(file, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private static func writeHolder(_ file: Int32) {
        let text = Array("\(getpid())".utf8)
        if ftruncate(file, 0) == 0 { _ = unsafe pwrite(file, text, text.count, 0) }
    }

    /// Makes the database's file where there is none, for its user alone: SQLite gives its log the same
    /// mode. Refuses a log without its database, or beside an empty one: what is in it would be lost
    /// under a new one.
    ///
    /// - Returns: true where the file is new, or empty.
    package func makeDatabase() throws(FolderRefusal) -> Bool {
        let log = "\(database)-wal"
        if Self.byteCount(of: database) == 0, Self.byteCount(of: log) > 0 {
            throw FolderRefusal(
                "\(database) is missing or empty, and \(log) is not: bring it back.")
        }
        let file = unsafe open(database, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw FolderRefusal("\(database) cannot be opened: \(Self.lastError).")
        }
        defer { Glibc.close(file) }
        return lseek(file, 0, SEEK_END) == 0
    }

    /// 0 where there is no such file.
    private static func byteCount(of path: String) -> off_t {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_size : 0
    }

    /// The folder's own entry is on the disk, as the files made in it are.
    package func sync() { Self.sync(path) }

    private static func sync(_ path: String) {
        let file = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { return }
        fsync(file)
        Glibc.close(file)
    }

    package func releaseReserve() { unsafe unlink(reserve) }

    /// Takes the room again; where there is none, later.
    package func fillReserve() {
        let file = unsafe open(reserve, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let failure = posix_fallocate(file, 0, off_t(Self.reserveByteCount))
        Glibc.close(file)
        if failure != 0 { unsafe unlink(reserve) }
    }

    // MARK: Keys

    /// The bytes of a small file; nil where it cannot be read.
    package static func readKey(_ path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { Glibc.close(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(file, &bytes, bytes.count)
        return count < 0 ? nil : Array(bytes.prefix(count))
    }

    /// Makes a file for its user alone, and has it on the disk before it returns true. It gets its name
    /// once it is whole, and takes that from no other.
    package static func writeKey(_ bytes: [UInt8], to path: String) -> Bool {
        let new = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 16))"
        let file = unsafe open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer {
            Glibc.close(file)
            unsafe unlink(new)
        }
        guard unsafe write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0,
            unsafe link(new, path) == 0
        else { return false }
        let end = path.lastIndex(of: "/") ?? path.startIndex
        sync(String(path[..<end]))
        return true
    }

    private static var lastError: String { unsafe String(cString: strerror(errno)) }
}

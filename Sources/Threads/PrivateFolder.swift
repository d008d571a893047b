import Glibc
import Synchronization

/// A folder cannot be used; the description says what a person does about it.
package struct FolderRefusal: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// A folder that one process has: made for its user alone, and locked.
///
/// Safety of its calls: each path is a Swift text, which C has for the length of the call.
package final class PrivateFolder: Sendable {
    package let path: String
    /// The open lock; nil once another process may have the folder.
    private let lock: Mutex<Int32?>

    /// Makes the folder where it is missing, with those above it.
    ///
    /// - Parameters:
    ///   - lock: the name of the file in it that is locked.
    ///   - mayBeLink: the folder is also one that a link at its path leads to.
    ///   - hasFence: a second process is found otherwise where locks do not work.
    package init(
        _ path: String, lock: String, mayBeLink: Bool = true, hasFence: Bool = false
    ) throws(FolderRefusal) {
        var path = path
        // With such an end it would be the folder that a link leads to.
        while let end = ["/", "/."].first(where: path.hasSuffix), path.count > end.count {
            path.removeLast(end.count)
        }
        self.path = path
        try Self.make(path, mayBeLink)
        self.lock = Mutex(try Self.lock(path, lock, hasFence: hasFence))
    }

    deinit { unlock() }

    package func unlock() {
        if let file = lock.withLock({ $0.take() }) { Glibc.close(file) }
    }

    private static func make(_ path: String, _ mayBeLink: Bool) throws(FolderRefusal) {
        makeParents(of: path)
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw FolderRefusal("\(path) cannot be made: \(lastError).")
        }
        var status = stat()
        let isRead = unsafe mayBeLink ? stat(path, &status) : lstat(path, &status)
        guard isRead == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw FolderRefusal("\(path) is no folder\(mayBeLink ? "" : ", or a link to one").")
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

    private static func makeParents(of path: String) {
        for end in path.indices.dropFirst() where path[end] == "/" {
            unsafe mkdir(String(path[..<end]), 0o700)
        }
    }

    private static func lock(
        _ folder: String, _ name: String, hasFence: Bool
    ) throws(FolderRefusal) -> Int32 {
        let path = "\(folder)/\(name)"
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FolderRefusal("\(path) cannot be opened: \(lastError).") }
        try lock(file, of: folder, hasFence: hasFence)
        writeHolder(file)
        return file
    }

    /// Closes the file where it throws.
    static func lock(_ file: Int32, of folder: String, hasFence: Bool) throws(FolderRefusal) {
        guard flock(file, LOCK_EX | LOCK_NB) != 0, !hasFence || errno == EWOULDBLOCK else { return }
        let reason =
            errno == EWOULDBLOCK
            ? "is in use by process \(readHolder(file))" : "cannot be locked: \(lastError)"
        Glibc.close(file)
        throw FolderRefusal("\(folder) \(reason).")
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

    /// What the last call of the system says of its failure.
    package static var lastError: String { unsafe String(cString: strerror(errno)) }

    // MARK: Keys

    /// Everybody on the machine may do something with a file.
    package static func isOpenToAll(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & 0o007 != 0
    }

    /// The bytes of a small file; nil where it cannot be read.
    package static func readKey(_ path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { Glibc.close(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(file, &bytes, bytes.count)
        return count < 0 ? nil : Array(bytes.prefix(count))
    }

    /// Makes a file for its user alone, with the folders above it, and has it on the disk before it returns true. It gets its name
    /// once it is whole, and takes that from no other.
    package static func writeKey(_ bytes: [UInt8], to path: String) -> Bool {
        makeParents(of: path)
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
        let end = path.lastIndex(of: "/")
        sync(end.map { String(path[..<$0]) } ?? ".")
        return true
    }

    /// A folder's own entry is on the disk, as the files made in it are.
    package static func sync(_ path: String) {
        let file = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { return }
        fsync(file)
        Glibc.close(file)
    }
}

import Bytes
import Sockets
import Synchronization

/// The files of one directory, one call at a time: however many calls wait, one thread waits for
/// the disk, and it is none of Swift's pool.
actor SavedFiles {
    /// One thread that waits for the disk, and one that takes calls meanwhile.
    private static let threadLimit = 2
    private static let suffix = ".saved"

    private let directory: Descriptor
    private let limit: Int
    private let fileLimit: Int
    private var fileCount: Int
    /// True while a removed file would come back with a crash of the machine.
    private var isRemovalPending = false
    private let system: SystemCalls
    private let executor: BlockingExecutor
    private let callLimit: Int
    private let callCount = Atomic<Int>(0)

    /// `faults` makes the system calls fail, in tests.
    init(
        _ path: String, _ limit: Int, fileLimit: Int, callLimit: Int,
        faults: SystemCalls.Faults? = nil
    ) throws {
        system = SystemCalls(faults: faults)
        executor = try BlockingExecutor(threadLimit: Self.threadLimit, faults: faults)
        directory = try system.files.openPrivateDirectory(path)
        self.limit = limit
        self.fileLimit = fileLimit
        self.callLimit = callLimit
        fileCount = try system.files.names(in: directory)
            .count { $0.hasSuffix(Self.suffix) && !$0.hasPrefix(".") }
    }

    /// Runs a call once it is its turn; throws at once where too many wait.
    nonisolated func perform<Result: Sendable>(
        _ call: @Sendable (isolated SavedFiles) throws -> Result
    ) async throws -> Result {
        defer { callCount.subtract(1, ordering: .relaxed) }
        guard callCount.add(1, ordering: .relaxed).newValue <= callLimit else {
            throw SavedFileError.tooManyCalls(limit: callLimit)
        }
        return try await withTaskExecutorPreference(executor) { try await call(self) }
    }

    func read(_ key: String) throws -> [UInt8]? {
        let name = try name(of: key)
        let file: Descriptor
        do throws(SystemError) {
            file = try system.files.open(name, beneath: directory, followingLinks: false)
        } catch {
            guard error.code == .noSuchFile else { throw error }
            return nil
        }
        let status = try system.files.status(of: file)
        guard status.kind == .regular else { throw SavedFileError.notAFile(key: key) }
        guard status.size <= limit else {
            throw SavedFileError.tooLarge(key: key, byteCount: Int(status.size), limit: limit)
        }
        return try system.files.read(file, offset: 0, count: Int(status.size))
    }

    func write(_ bytes: [UInt8], _ key: String) throws {
        guard bytes.count <= limit else {
            throw SavedFileError.tooLarge(key: key, byteCount: bytes.count, limit: limit)
        }
        let name = try name(of: key)
        let isNew = try !system.files.hasEntry(name, in: directory)
        guard !isNew || fileCount < fileLimit else {
            throw SavedFileError.tooManyFiles(limit: fileLimit)
        }
        do {
            try system.files.replaceFile(name, in: directory, with: bytes.span)
        } catch {
            // The file may be there all the same, where only the disk's last word is missing.
            if isNew, try system.files.hasEntry(name, in: directory) { fileCount += 1 }
            throw error
        }
        if isNew { fileCount += 1 }
    }

    func remove(_ key: String) throws {
        if try system.files.removeFile(try name(of: key), in: directory) {
            fileCount -= 1
            isRemovalPending = true
        }
        guard isRemovalPending else { return }
        try system.files.synchronize(directory)
        isRemovalPending = false
    }

    /// The key with `.saved` behind it, in which what a path cannot hold is `%` and two
    /// hexadecimal digits.
    private func name(of key: String) throws(SavedFileError) -> String {
        var name: [UInt8] = []
        for byte in key.utf8 {
            if SessionID.isAllowed(byte), byte != UInt8(ascii: ".") || !name.isEmpty {
                name.append(byte)
            } else {
                name.append(UInt8(ascii: "%"))
                name.append(Hexadecimal.capitalDigit(byte >> 4))
                name.append(Hexadecimal.capitalDigit(byte & 15))
            }
        }
        name.append(contentsOf: Self.suffix.utf8)
        // 255 is the longest name of a file, of which `.new-` takes 5.
        guard name.count <= 250 else { throw .keyTooLong(byteCount: key.utf8.count) }
        return String(decoding: name, as: UTF8.self)
    }
}

import Sockets

/// Why a file of a saved value is refused.
public enum SavedFileError: Error, Hashable, CustomStringConvertible {
    /// The value takes more bytes than a file may have; or the file that is there has more.
    case tooLarge(key: String, byteCount: Int, limit: Int)
    /// The key is longer than the name of a file can be.
    case keyTooLong(byteCount: Int)
    /// What is there under the key is no file.
    case notAFile(key: String)

    /// What is wrong, with the numbers.
    public var description: String {
        switch self {
        case .tooLarge(let key, let count, let limit):
            "\(key): \(count) bytes, where \(limit) are allowed"
        case .keyTooLong(let count): "a key of \(count) bytes is too long for a file's name"
        case .notAFile(let key): "\(key): no file"
        }
    }
}

extension SavedValues {
    /// Keeps values in a directory, a file each, which only the process's user may read. A file is
    /// replaced as a whole: a crash leaves the old value or the new one.
    ///
    /// Throws where the directory can neither be opened nor made.
    ///
    /// - Parameters:
    ///   - limit: how many bytes one value may take.
    ///   - encode: the bytes of a value. A `Secret` that shall be kept is written by hand, from
    ///     its `value`: no encoder shows it.
    ///   - decode: the value of bytes; what it throws is a failure to load.
    public static func files(
        in directory: String, limit: Int = 64 * 1024,
        encode: @escaping @Sendable (Value) throws -> [UInt8],
        decode: @escaping @Sendable ([UInt8]) throws -> Value
    ) throws -> SavedValues {
        let files = try SavedFiles(directory: directory, limit: limit)
        return SavedValues(
            load: { key in
                try await withTaskExecutorPreference(BlockingExecutor.shared) {
                    try await files.read(key)
                }.map(decode)
            },
            save: { value, key in
                let bytes = try encode(value)
                try await withTaskExecutorPreference(BlockingExecutor.shared) {
                    try await files.write(bytes, key)
                }
            },
            delete: { key in
                try await withTaskExecutorPreference(BlockingExecutor.shared) {
                    try await files.remove(key)
                }
            })
    }
}

extension SavedValues where Value: Codable {
    /// Keeps values in a directory as JSON, in which a `Secret` is `"<redacted>"`.
    public static func files(in directory: String, limit: Int = 64 * 1024) throws -> SavedValues {
        try files(
            in: directory, limit: limit,
            encode: { value in
                var bytes: [UInt8] = []
                try StateEncoder().encode(value, into: &bytes)
                return bytes
            },
            decode: { try StateDecoder().decode(Value.self, from: $0.span) })
    }
}

/// The files of one directory, one call at a time: however many wait for the disk, one thread
/// does, and it is none of Swift's pool.
private actor SavedFiles {
    private let directory: Descriptor
    private let limit: Int
    private let system = SystemCalls()

    init(directory: String, limit: Int) throws(SystemError) {
        try system.makeDirectory(directory)
        self.directory = try system.openDirectory(directory)
        self.limit = limit
    }

    func read(_ key: String) throws -> [UInt8]? {
        let name = try name(of: key)
        let file: Descriptor
        do throws(SystemError) {
            file = try system.open(name, beneath: directory, followingLinks: false)
        } catch {
            guard error.code == .noSuchFile else { throw error }
            return nil
        }
        let status = try system.status(of: file)
        guard status.kind == .regular else { throw SavedFileError.notAFile(key: key) }
        guard status.size <= limit else {
            throw SavedFileError.tooLarge(key: key, byteCount: Int(status.size), limit: limit)
        }
        return try system.read(file, offset: 0, count: Int(status.size))
    }

    func write(_ bytes: [UInt8], _ key: String) throws {
        guard bytes.count <= limit else {
            throw SavedFileError.tooLarge(key: key, byteCount: bytes.count, limit: limit)
        }
        try system.replaceFile(try name(of: key), in: directory, with: bytes.span)
    }

    func remove(_ key: String) throws {
        _ = try system.removeFile(try name(of: key), in: directory)
    }

    /// The key with `.saved` behind it, in which what a path cannot hold is `%` and two
    /// hexadecimal digits.
    private func name(of key: String) throws(SavedFileError) -> String {
        var name: [UInt8] = []
        for byte in key.utf8 {
            if SessionID.isAllowed(byte), byte != UInt8(ascii: ".") || !name.isEmpty {
                name.append(byte)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                name.append(contentsOf: (digits.count == 1 ? "%0" : "%").utf8)
                name.append(contentsOf: digits.utf8)
            }
        }
        name.append(contentsOf: ".saved".utf8)
        // 255 is the longest name of a file, of which `.new-` takes 5.
        guard name.count <= 250 else { throw .keyTooLong(byteCount: key.utf8.count) }
        return String(decoding: name, as: UTF8.self)
    }
}

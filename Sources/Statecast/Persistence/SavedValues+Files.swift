/// The reason why a file of a saved value is refused.
public enum SavedFileError: Error, Hashable, CustomStringConvertible {
    /// The value takes more bytes than a file may have; or the file that is there has more.
    case tooLarge(key: String, byteCount: Int, limit: Int)
    /// The key is longer than the name of a file can be.
    case keyTooLong(byteCount: Int)
    /// The thing that is there under the key is no file.
    case notAFile(key: String)
    /// The directory holds as many files as it may. A value of one of them may still be replaced.
    case tooManyFiles(limit: Int)
    /// Too many calls wait for the disk already; a retry may succeed.
    case tooManyCalls(limit: Int)

    /// The reason in words, with the numbers.
    public var description: String {
        switch self {
        case .tooLarge(let key, let count, let limit):
            "\(key): \(count) bytes, where \(limit) are allowed"
        case .keyTooLong(let count): "a key of \(count) bytes is too long for a file's name"
        case .notAFile(let key): "\(key): no file"
        case .tooManyFiles(let limit): "a directory of \(limit) files takes no further one"
        case .tooManyCalls(let limit): "\(limit) calls wait for the disk already"
        }
    }
}

extension SavedValues {
    /// Keeps values in a directory, a file each, which only the process's user may read. A file is
    /// replaced as a whole: a crash leaves the old value or the new one.
    ///
    /// Throws `PrivateDirectoryError` where the directory can neither be opened nor made, or is not
    /// the user's alone, and `SystemError` where there is no thread to wait for the disk.
    ///
    /// - Parameters:
    ///   - limit: how many bytes one value may take.
    ///   - fileLimit: how many files the directory may hold; beyond it, `save` of another key
    ///     throws `SavedFileError.tooManyFiles`.
    ///   - callLimit: how many calls may wait for the disk; beyond it they throw
    ///     `SavedFileError.tooManyCalls`.
    ///   - encode: the bytes of a value. A `Secret` that shall be kept is written by hand, from
    ///     its `value`: no encoder shows it.
    ///   - decode: the value of bytes; what it throws is a failure to load.
    public static func files(
        in directory: String, limit: Int = 64 * 1024, fileLimit: Int = 1_000_000,
        callLimit: Int = 10_000,
        encode: @escaping @Sendable (Value) throws -> [UInt8],
        decode: @escaping @Sendable ([UInt8]) throws -> Value
    ) throws -> SavedValues {
        let files = try SavedFiles(directory, limit, fileLimit: fileLimit, callLimit: callLimit)
        return SavedValues(
            load: { key in try await files.perform { try $0.read(key) }.map(decode) },
            save: { value, key in
                let bytes = try encode(value)
                try await files.perform { try $0.write(bytes, key) }
            },
            delete: { key in try await files.perform { try $0.remove(key) } })
    }
}

extension SavedValues where Value: Codable {
    /// Keeps values in a directory as JSON, in which a `Secret` is `"<redacted>"`; the limits are
    /// those of `files(in:limit:fileLimit:callLimit:encode:decode:)`.
    public static func files(
        in directory: String, limit: Int = 64 * 1024, fileLimit: Int = 1_000_000,
        callLimit: Int = 10_000
    ) throws -> SavedValues {
        try files(
            in: directory, limit: limit, fileLimit: fileLimit, callLimit: callLimit,
            encode: { try StateEncoder().bytes(of: $0) },
            decode: { try StateDecoder().decode(Value.self, from: $0.span) })
    }
}

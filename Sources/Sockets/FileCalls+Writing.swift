internal import Glibc

extension FileCalls {
    /// Takes an empty directory away.
    package func removeDirectory(_ path: String) throws(SystemError) {
        try system.check(.removeDirectory, subject: path) { Int(unsafe rmdir(path)) }
    }

    /// Puts a file of these bytes into a directory, in place of another: whoever looks, also after
    /// a crash, finds the old content or the new one. Only the process's user may read it.
    ///
    /// `name` is one component. The bytes are first written to `.new-<name>`, which a crash may
    /// leave behind and the next call for the name takes away. Waits for the disk.
    package func replaceFile(
        _ name: String, in directory: borrowing Descriptor, with bytes: Span<UInt8>
    ) throws(SystemError) {
        try checkComponent(name)
        let temporary = ".new-\(name)"
        try removeFile(temporary, in: directory)
        do throws(SystemError) {
            try writeNew(temporary, in: directory, bytes)
            let number = directory.rawValue
            try system.check(.rename, subject: name) {
                Int(unsafe renameat(number, temporary, number, name))
            }
            try synchronize(directory)
        } catch {
            _ = try? removeFile(temporary, in: directory)
            throw error
        }
    }

    /// Takes a file out of a directory; false where there is none.
    @discardableResult
    package func removeFile(
        _ name: String, in directory: borrowing Descriptor
    ) throws(SystemError) -> Bool {
        try checkComponent(name)
        let number = directory.rawValue
        do throws(SystemError) {
            try system.check(.unlink, subject: name) { Int(unsafe unlinkat(number, name, 0)) }
            return true
        } catch {
            guard error.code == .noSuchFile else { throw error }
            return false
        }
    }

    /// Waits until what was made and taken away in a directory is on the disk.
    package func synchronize(_ directory: borrowing Descriptor) throws(SystemError) {
        let number = directory.rawValue
        try system.check(.synchronize) { Int(fsync(number)) }
    }

    private func writeNew(
        _ name: String, in directory: borrowing Descriptor, _ bytes: Span<UInt8>
    ) throws(SystemError) {
        let number = directory.rawValue
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = Descriptor(
            owning: Int32(
                try system.check(.open, subject: name) {
                    Int(unsafe openat(number, name, flags, 0o600))
                }))
        let target = file.rawValue
        var written = 0
        while written < bytes.count {
            let rest = bytes.extracting(written...)
            let result = unsafe rest.withUnsafeBytes { buffer in
                system.perform(.writeFile, upTo: buffer.count) {
                    unsafe write(target, buffer.baseAddress, $0)
                }
            }
            guard result >= 0 else {
                throw SystemError(.writeFile, Errno(rawValue: Int32(-result)), subject: name)
            }
            written += result
        }
        try system.check(.synchronize, subject: name) { Int(fsync(target)) }
    }

    /// A name that leads out of its directory, or is none.
    func checkComponent(_ name: String) throws(SystemError) {
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(0),
            !name.utf8.contains(UInt8(ascii: "/"))
        else { throw SystemError(.open, .invalidArgument, subject: "a name of a file") }
    }
}

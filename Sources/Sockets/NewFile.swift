internal import Glibc

/// A file for this process's user alone, which has its name once all of it is written: until then another,
/// that nobody knows.
package final class NewFile {
    private let path: String
    private let temporary: String
    private let descriptor: Descriptor

    /// No link is followed to the file.
    package init(_ path: String) throws(SystemError) {
        let temporary = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        descriptor = try SystemCalls().open(.open, subject: path) {
            unsafe open(temporary, flags, 0o600)
        }
        (self.path, self.temporary) = (path, temporary)
    }

    deinit { _ = unsafe unlink(temporary) }

    /// False where not all of it could be written.
    package func append(_ text: String) -> Bool {
        ProcessEnd.write(text, to: descriptor.rawValue)
    }

    /// Takes the place of what stood there; false where it cannot.
    package func publish() -> Bool {
        unsafe fsync(descriptor.rawValue) == 0 && rename(temporary, path) == 0
    }
}

internal import CLinux
internal import Glibc

/// The system calls on files and directories.
package struct FileCalls: Sendable {
    let system: SystemCalls

    /// Opens a directory to open files beneath.
    package func openDirectory(_ path: String) throws(SystemError) -> Descriptor {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        return try system.open(.open, subject: path) { unsafe Glibc.open(path, flags) }
    }

    /// Opens a file or directory for reading, beneath a directory: a path (relative) that would
    /// leave it, by `..`, by a leading `/`, or by a symbolic link, fails with `crossesBoundary`.
    /// Symbolic links that stay beneath are followed. On a kernel without openat2 (before 5.6) no link
    /// is followed and no `..` taken. A path with a NUL byte is `noSuchFile`. Never blocks, also not
    /// on a pipe.
    package func open(
        _ path: String, beneath directory: borrowing Descriptor
    ) throws(SystemError) -> Descriptor {
        guard !path.utf8.contains(0) else {
            throw SystemError(.open, .noSuchFile, subject: "a path with a NUL byte")
        }
        let number = directory.rawValue
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        do throws(SystemError) {
            return try system.open(.open, subject: path) {
                unsafe clinux_open_beneath(number, path, UInt64(flags))
            }
        } catch {
            guard error.code == .notSupportedByKernel else { throw error }
            return try openStepwise(path, beneath: directory, flags: flags)
        }
    }

    /// The way without openat2: a component at a time, none of them a link or `..`.
    func openStepwise(
        _ path: String, beneath directory: borrowing Descriptor, flags: Int32
    ) throws(SystemError) -> Descriptor {
        let components = path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
        guard !path.utf8.starts(with: [UInt8(ascii: "/")]), !components.contains("..") else {
            throw SystemError(.open, .crossesBoundary, subject: path)
        }
        var current = try openComponent(".", at: directory.rawValue, clinux_path_only | O_DIRECTORY)
        for component in components.dropLast() {
            current = try openComponent(
                String(component), at: current.rawValue, clinux_path_only | O_DIRECTORY)
        }
        return try openComponent(
            components.last.map { String($0) } ?? ".", at: current.rawValue, flags)
    }

    private func openComponent(
        _ name: String, at directory: Int32, _ flags: Int32
    ) throws(SystemError) -> Descriptor {
        try system.open(.open, subject: name) {
            unsafe openat(directory, name, flags | O_NOFOLLOW | O_CLOEXEC)
        }
    }

    /// The kind, size and age of an open file.
    package func status(of file: borrowing Descriptor) throws(SystemError) -> FileStatus {
        let number = file.rawValue
        var status = stat()
        try system.check(.fileStatus) { Int(unsafe fstat(number, &status)) }
        let kind = status.st_mode & S_IFMT
        return FileStatus(
            isRegular: kind == S_IFREG, isDirectory: kind == S_IFDIR, size: Int64(status.st_size),
            modifiedSeconds: Int64(status.st_mtim.tv_sec),
            modifiedNanoseconds: Int64(status.st_mtim.tv_nsec), inode: UInt64(status.st_ino))
    }

    /// Reads up to `count` bytes of a file from `offset` on; fewer only where the file ends.
    package func read(
        _ file: borrowing Descriptor, offset: Int64, count: Int
    ) throws(SystemError) -> [UInt8] {
        let number = file.rawValue
        var failure = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let target = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let result = system.perform(.readFile, upTo: target.count) {
                    unsafe pread(number, target.baseAddress, $0, off_t(offset) + off_t(filled))
                }
                guard result > 0 else {
                    failure = result
                    return
                }
                filled += result
            }
        }
        guard failure == 0 else {
            throw SystemError(.readFile, Errno(rawValue: Int32(-failure)))
        }
        return bytes
    }
}

/// The kind, the size and the age of an open file, as `fstat(2)` tells them.
package struct FileStatus: Sendable, Hashable {
    /// It is a file with content.
    package let isRegular: Bool
    package let isDirectory: Bool
    /// Its size in bytes.
    package let size: Int64
    /// When its content changed last: seconds since 1970.
    package let modifiedSeconds: Int64
    /// The part of a second of that time, in nanoseconds.
    package let modifiedNanoseconds: Int64
    /// Its number in its file system.
    package let inode: UInt64
}

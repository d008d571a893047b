internal import CLinux
internal import Glibc

/// The reason for which a directory is refused as a place for the files of the process's user.
package enum PrivateDirectoryError: Error, Hashable, CustomStringConvertible {
    /// The directory can be neither made nor opened.
    case failed(SystemError)
    /// The path's last component is a symbolic link, whose owner may point it elsewhere at any time.
    case symbolicLink(path: String)
    /// The directory belongs to another user than `user`, or others have access: `mode` is not 0700.
    case notPrivate(path: String, owner: UInt32, mode: UInt32, user: UInt32)

    /// The mistake, with its numbers, and what would be right.
    package var description: String {
        switch self {
        case .failed(let error): return "\(error)"
        case .symbolicLink(let path): return "\(path) is a symbolic link; name the directory itself"
        case .notPrivate(let path, let owner, let mode, let user):
            let octal = String(mode, radix: 8)
            return "\(path) belongs to user \(owner) and has mode 0\(octal); it has to belong to "
                + "user \(user) and to have mode 0700"
        }
    }
}

extension FileCalls {
    /// Opens a directory that only the process's user may enter, and makes it where there is none.
    ///
    /// A directory that is there already has to be the user's, with no access for others, and not
    /// a symbolic link: another user could otherwise read the files in it, or put some there.
    package func openPrivateDirectory(
        _ path: String
    ) throws(PrivateDirectoryError) -> Descriptor {
        var status = stat()
        let directory: Descriptor
        do throws(SystemError) {
            let place = try openOrMakePlace(path)
            try system.check(.fileStatus, subject: path) {
                Int(unsafe fstat(place.rawValue, &status))
            }
            guard status.st_mode & S_IFMT != S_IFLNK else {
                throw SystemError(.open, .symbolicLink, subject: path)
            }
            directory = try system.open(.open, subject: path) {
                unsafe openat(place.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            }
        } catch {
            throw error.code == .symbolicLink ? .symbolicLink(path: path) : .failed(error)
        }
        let (user, mode) = (geteuid(), status.st_mode & 0o7777)
        guard status.st_uid == user, mode & 0o077 == 0 else {
            throw .notPrivate(path: path, owner: status.st_uid, mode: mode, user: user)
        }
        return directory
    }

    /// A descriptor of what stands at a path, a link itself and not what it points to; first makes
    /// a directory there if there is nothing.
    private func openOrMakePlace(_ path: String) throws(SystemError) -> Descriptor {
        // A slash at the end would have the kernel follow a link.
        var name = path
        while name.utf8.count > 1, name.utf8.last == UInt8(ascii: "/") { name.removeLast() }
        do throws(SystemError) {
            try system.check(.makeDirectory, subject: path) { Int(unsafe mkdir(name, 0o700)) }
        } catch {
            guard error.code == .exists else { throw error }
        }
        let flags = clinux_path_only | O_NOFOLLOW | O_CLOEXEC
        return try system.open(.open, subject: path) { unsafe Glibc.open(name, flags) }
    }

    /// The names of what is in a directory, in no order, without `.` and `..`.
    package func names(in directory: borrowing Descriptor) throws(SystemError) -> [String] {
        let number = directory.rawValue
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let copy = Int32(try system.check(.open) { Int(unsafe openat(number, ".", flags)) })
        // Safety: the stream owns the descriptor from here on, and is closed below.
        guard let stream = unsafe fdopendir(copy) else {
            let code = Errno.current
            close(copy)
            throw SystemError(.readDirectory, code)
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            var entry: UnsafeMutablePointer<dirent>?
            try system.check(.readDirectory) {
                errno = 0
                unsafe entry = unsafe readdir(stream)
                return unsafe entry == nil && errno != 0 ? -1 : 0
            }
            guard let entry = unsafe entry else { return names }
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// True where a directory holds something of this name, one component.
    package func hasEntry(
        _ name: String, in directory: borrowing Descriptor
    ) throws(SystemError) -> Bool {
        try checkComponent(name)
        let number = directory.rawValue
        var status = stat()
        do throws(SystemError) {
            try system.check(.fileStatus, subject: name) {
                Int(unsafe fstatat(number, name, &status, Int32(AT_SYMLINK_NOFOLLOW)))
            }
            return true
        } catch {
            guard error.code == .noSuchFile else { throw error }
            return false
        }
    }
}

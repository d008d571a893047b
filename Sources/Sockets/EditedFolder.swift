package import Bytes
internal import CLinux
internal import Glibc
internal import Threads

/// A folder whose files people edit while the process writes them, too: none of these writes takes the
/// place of an edit. Neither the folder nor a file in it may be a symbolic link.
package final class EditedFolder: Sendable {
    /// So the names of files begin that are being written.
    private static let prefix = ".statecast-"

    package let path: String
    let descriptor: Descriptor
    private let system: SystemCalls

    /// Makes the folder where it is missing, for this process's user alone.
    package init(_ path: String, system: SystemCalls = SystemCalls()) throws(SystemError) {
        (self.path, self.system) = (path, system)
        _ = unsafe mkdir(path, 0o700)
        descriptor = try system.open(.open, subject: path) {
            unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        }
    }

    /// What stands at its path is still this folder.
    package var isThere: Bool {
        var (here, there) = (stat(), stat())
        guard unsafe fstat(descriptor.rawValue, &here) == 0, unsafe lstat(path, &there) == 0 else {
            return false
        }
        return here.st_ino == there.st_ino && here.st_dev == there.st_dev
    }

    /// Removes what a process has left that was ended while it wrote.
    ///
    /// - Throws: where the file system does not exchange files, or tell who writes them.
    package func begin() throws(SystemError) {
        for name in try names(limit: 1 << 16) where name.hasPrefix(Self.prefix) { remove(name) }
        let file = try make([])
        defer { remove(file) }
        _ = try read(file, limit: 0)
        _ = try replace(file, by: [], limit: 0) { _ in true }
    }

    /// The names of what is in it, of so many at most.
    package func names(limit: Int) throws(SystemError) -> [String] {
        let number = try system.check(.open, subject: ".") {
            Int(unsafe openat(descriptor.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        }
        // Safety: the stream has the number from here on, and closes it; each entry is copied before
        // the next is read.
        guard let stream = unsafe fdopendir(Int32(number)) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while names.count < limit, let entry = unsafe readdir(stream) {
            names.append(
                unsafe withUnsafeBytes(of: entry.pointee.d_name) {
                    unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }

    /// A file as it stands, of so many bytes at most; nil while somebody writes it: the end of that is an
    /// event.
    ///
    /// - Parameter isSaved: that event has come, which is before the kernel counts the writer as gone.
    package func read(
        _ name: String, limit: Int, isSaved: Bool = false
    ) throws(SystemError) -> EditedFile? {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let file = try system.open(.open, subject: name) {
            unsafe openat(descriptor.rawValue, name, flags)
        }
        let status = try system.files.status(of: file)
        guard status.isRegular else {
            throw SystemError(.open, .invalidArgument, subject: name)
        }
        guard status.size <= limit else { throw SystemError(.readFile, .tooLarge, subject: name) }
        let number = file.rawValue
        let isWritten = try system.check(.lease, subject: name) {
            Int(clinux_is_being_written(number))
        }
        if isWritten == 1, !isSaved { return nil }
        let bytes = try system.files.read(file, offset: 0, count: Int(status.size))
        return EditedFile(bytes, modifiedNanoseconds: status.modifiedNanoseconds)
    }

    /// Puts bytes in place of a file's, unless somebody writes it, or it may not go as it stands: then
    /// false, and it is as it was.
    ///
    /// - Parameters:
    ///   - limit: a file of more bytes may not go.
    ///   - makes: also where there is no file.
    package func replace(
        _ name: String, by bytes: [UInt8], limit: Int, makes: Bool = false,
        where mayGo: (EditedFile) -> Bool
    ) throws(SystemError) -> Bool {
        guard isAllowed(name, limit: limit, mayGo) else { return false }
        let new = try make(bytes)
        var hasEdit = false
        defer { if !hasEdit { remove(new) } }
        guard try move(new, name, makes: makes) else { return false }
        // By its name nobody finds the former file any more: it stays as it is read now.
        if isAllowed(new, limit: limit, mayGo) { return true }
        hasEdit = true
        _ = try move(new, name, makes: true)
        // An edit that has come meanwhile is newer than that.
        if !isAllowed(new, limit: limit, { $0.bytes == bytes }) {
            _ = try move(new, name, makes: false)
        }
        hasEdit = false
        return false
    }

    private func isAllowed(_ name: String, limit: Int, _ mayGo: (EditedFile) -> Bool) -> Bool {
        do throws(SystemError) {
            return try read(name, limit: limit).map(mayGo) ?? false
        } catch {
            return error.code == .noSuchFile
        }
    }

    /// Nothing happens where the file is not there.
    package func remove(_ name: String) { _ = unsafe unlinkat(descriptor.rawValue, name, 0) }

    /// Exchanges two files; where there is no other, one gets its name if that is wished.
    ///
    /// - Returns: false where nothing was done.
    private func move(_ one: String, _ other: String, makes: Bool) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try system.check(.rename, subject: other) {
                Int(unsafe clinux_exchange(descriptor.rawValue, one, other, makes))
            }
            return true
        } catch {
            guard [ENOENT, EEXIST].contains(error.code.rawValue) else { throw error }
            return false
        }
    }

    /// Makes a file under a name that nobody knows.
    private func make(_ bytes: [UInt8]) throws(SystemError) -> String {
        let name = Self.prefix + String(UInt64.random(in: 0 ... .max), radix: 16)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = try system.open(.open, subject: name) {
            unsafe openat(descriptor.rawValue, name, flags, 0o600)
        }
        let number = file.rawValue
        do throws(SystemError) {
            var written = 0
            while written < bytes.count {
                written += try system.check(.write, subject: name) {
                    unsafe bytes[written...].withUnsafeBytes {
                        unsafe Glibc.write(number, $0.baseAddress, $0.count)
                    }
                }
            }
            let print = EditedFile(bytes).print
            let time = timespec(
                tv_sec: Int(Instant.readWallClock() / 1000), tv_nsec: Int(print % 1_000_000_000))
            try system.check(.write, subject: name) { Int(unsafe futimens(number, [time, time])) }
        } catch {
            remove(name)
            throw error
        }
        return name
    }
}

/// What stands in a file that people edit.
package struct EditedFile: Sendable, Hashable {
    package let bytes: [UInt8]
    /// Tells the bytes from others (FNV-1a).
    package let print: UInt64
    /// An earlier process may have written the bytes: the nanoseconds of the file's time are of their print,
    /// and an edit changes the time. Not every file system keeps them.
    package let isAsWritten: Bool

    package init(_ bytes: [UInt8], modifiedNanoseconds: Int64 = -1) {
        self.bytes = bytes
        print = bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        isAsWritten = modifiedNanoseconds == Int64(print % 1_000_000_000)
    }
}

/// Tells a thread which files of some folders have changed: inotify(7).
package final class FolderWatch: Sendable {
    /// A file, by the place of its folder, and whether somebody has written it and is done, or has put it
    /// there. Without a name: the folder itself was moved or removed.
    package typealias Change = (folder: Int, name: String, isSaved: Bool)

    /// The room for one reading of events, of which one with a long name takes 272 bytes.
    private static let byteCount = 64 << 10

    private let system = SystemCalls()
    private let events: Descriptor
    private let bell: Descriptor
    /// The places of the folders, by the kernel's numbers.
    private let places: [Int32: Int]

    package init(_ folders: [EditedFolder]) throws(SystemError) {
        let events = try system.open(.watch) { inotify_init1(Int32(clinux_nonblock_cloexec)) }
        let mask = UInt32(
            IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB
                | IN_MOVE_SELF | IN_DELETE_SELF)
        var places: [Int32: Int] = [:]
        for (place, folder) in folders.enumerated() {
            // The open folder itself, whatever its path leads to by now.
            let path = "/proc/self/fd/\(folder.descriptor.rawValue)"
            let watch = try system.check(.watch, subject: path) {
                Int(unsafe inotify_add_watch(events.rawValue, path, mask))
            }
            places[Int32(watch)] = place
        }
        self.places = places
        self.events = events
        bell = try system.open(.eventDescriptor) { eventfd(0, clinux_nonblock_cloexec) }
    }

    /// Ends the wait, or the next one; from any thread.
    package func ring() { system.signal(bell) }

    /// Waits until files have been made, written, moved or removed, somebody rings, or a time has come.
    ///
    /// - Returns: the files, by the places of their folders; nil where the kernel has lost some.
    package func wait(until end: Instant) -> [Change]? {
        let milliseconds = (end.nanoseconds - Instant.read().nanoseconds) / 1_000_000 + 1
        var ready = [events.rawValue, bell.rawValue].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        _ = unsafe poll(&ready, nfds_t(ready.count), Int32(clamping: max(0, milliseconds)))
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(bell.rawValue, &count)
        var buffer = [UInt8](repeating: 0, count: Self.byteCount)
        let number = events.rawValue
        let filled = system.perform(.watch, upTo: buffer.count) {
            unsafe read(number, &buffer, $0)
        }
        return changes(in: buffer.prefix(max(0, filled)))
    }

    private func changes(in events: ArraySlice<UInt8>) -> [Change]? {
        let headCount = MemoryLayout<inotify_event>.size
        var changes: [Change] = []
        var rest = events
        while rest.count >= headCount {
            // Safety: the kernel has written a whole head here.
            let head = unsafe rest.withUnsafeBytes {
                unsafe $0.loadUnaligned(as: inotify_event.self)
            }
            guard head.mask & UInt32(IN_Q_OVERFLOW) == 0 else { return nil }
            let name = rest.dropFirst(headCount).prefix(Int(head.len)).prefix { $0 != 0 }
            rest = rest.dropFirst(headCount + Int(head.len))
            let isGone = head.mask & UInt32(IN_MOVE_SELF | IN_DELETE_SELF) != 0
            guard let folder = places[head.wd], isGone || !name.isEmpty else { continue }
            let isSaved = head.mask & UInt32(IN_CLOSE_WRITE | IN_MOVED_TO) != 0
            changes.append((folder, String(decoding: name, as: UTF8.self), isSaved))
        }
        return changes
    }
}

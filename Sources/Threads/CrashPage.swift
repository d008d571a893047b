import Bytes
internal import CLinux
internal import Glibc

/// A file that outlives the process: each event loop names there what it reduces, and a trap or a fatal signal
/// adds what and where it was. The next start finds that.
///
/// Behind 4 KiB for the signal and the build stand the last actions of each loop, and of the recording that
/// is reduced again, each with four words of its own: when it began, the thread, 1 while it is being reduced,
/// and the count of its bytes.
///
/// Safety: the file is mapped as long as the object lives. A thread writes to its own part, the handler of
/// traps to the words of the signal, and nobody reads before the next process.
@safe package final class CrashPage: @unchecked Sendable {
    fileprivate static let headByteCount = 4_096
    fileprivate static let buildPlace = 2_048
    /// Tells which places these are; another one with each change of them.
    fileprivate static let layout = (place: 2_040, number: UInt64(2))
    fileprivate static let actionCount = 64
    fileprivate static let actionByteCount = 4_096
    private static let partByteCount = actionCount * actionByteCount
    /// The most bytes of an action's JSON.
    package static let jsonByteCount = actionByteCount - 32

    private let folder: PrivateFolder
    private let byteCount: Int
    private let start: UnsafeMutableRawPointer
    /// What has ended the last process that had the page; nil where it was no trap.
    package let former: Crash?

    /// - Parameter build: names this one.
    package init(in path: String, loopCount: Int, build: String) throws(FolderRefusal) {
        folder = try PrivateFolder(path, lock: "crash.lock")
        byteCount = Self.headByteCount + (loopCount + 1) * Self.partByteCount
        let page = "\(path)/crash.page"
        let kept = "\(path)/crash.former"
        if Crash(noted: Self.read(page)) != nil { unsafe rename(page, kept) }
        former = Crash(noted: Self.read(kept))
        unsafe unlink(page)
        guard let start = unsafe clinux_map_file(page, byteCount) else {
            throw FolderRefusal("\(page) cannot be made: \(PrivateFolder.lastError).")
        }
        unsafe self.start = start
        unsafe start.storeBytes(
            of: Self.layout.number, toByteOffset: Self.layout.place, as: UInt64.self)
        let name = Array(build.utf8.prefix(1_024))
        unsafe (start + Self.buildPlace).copyMemory(from: name, byteCount: name.count)
        unsafe clinux_note_crash(start.assumingMemoryBound(to: clinux_crash.self))
    }

    deinit {
        unsafe clinux_forget_crash(start.assumingMemoryBound(to: clinux_crash.self))
        unsafe munmap(start, byteCount)
    }

    /// The process ends in good order, whatever signal it has outlived.
    package func close() { unsafe start.storeBytes(of: 0, as: UInt64.self) }

    /// Adds a line that tells of `former` to a file of the folder, for its user alone; what has grown beyond
    /// 1 MiB makes room first, under another name. False where it cannot: then the next start has it, too.
    package func tellFormer(by line: [UInt8], in name: String) -> Bool {
        let path = "\(folder.path)/\(name)"
        var status = stat()
        if unsafe stat(path, &status) == 0, status.st_size > 1 << 20 {
            unsafe rename(path, "\(path).old")
        }
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW
        let file = unsafe open(path, flags, 0o600)
        guard file >= 0 else { return false }
        defer { Glibc.close(file) }
        let end = lseek(file, 0, SEEK_END)
        guard unsafe write(file, line, line.count) == line.count else {
            // Half a line would spoil the next one.
            ftruncate(file, end)
            return false
        }
        unsafe unlink("\(folder.path)/crash.former")
        return true
    }

    private static func read(_ path: String) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        var status = stat()
        guard file >= 0 else { return [] }
        defer { Glibc.close(file) }
        guard unsafe fstat(file, &status) == 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: min(status.st_size, 64 << 20))
        let count = unsafe Glibc.read(file, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    /// The part of one event loop; nil: of the recording that is reduced again, which is one at a time.
    package func part(of loop: Int?) -> LastActions {
        let last = byteCount - Self.partByteCount
        let place = loop.map { Self.headByteCount + $0 * Self.partByteCount } ?? last
        precondition(place <= last, "A loop is one of those that the page was made for.")
        return unsafe LastActions(self, start + place)
    }

    /// The actions that were reduced last, on one event loop or of one recording.
    ///
    /// Safety: the page is mapped as long as this lives, and one thread at a time reduces these actions.
    @safe package final class LastActions: @unchecked Sendable {
        private let page: CrashPage
        private let start: UnsafeMutableRawPointer
        private var number = 0
        /// Those of the newest action.
        private var words: UnsafeMutablePointer<UInt64>

        fileprivate init(_ page: CrashPage, _ start: UnsafeMutableRawPointer) {
            self.page = page
            unsafe self.start = start
            unsafe words = start.bindMemory(
                to: UInt64.self, capacity: actionCount * actionByteCount / 8)
        }

        /// An action is being reduced.
        ///
        /// - Parameter json: what is to be told of it, without secrets; cut where it is too long.
        package func begin(_ json: [UInt8]) {
            number += 1
            let place = number % actionCount * actionByteCount
            unsafe words = (start + place).assumingMemoryBound(to: UInt64.self)
            // No time as long as the rest is not whole.
            unsafe words[0] = 0
            unsafe (words[1], words[2]) = (UInt64(pthread_self()), 1)
            tell(json)
            unsafe words[0] = UInt64(Instant.read().nanoseconds)
        }

        /// The same is to be told otherwise.
        package func tell(_ json: [UInt8]) {
            let count = min(json.count, jsonByteCount)
            unsafe words[3] = 0
            unsafe UnsafeMutableRawPointer(words + 4).copyMemory(from: json, byteCount: count)
            unsafe words[3] = UInt64(count)
        }

        /// It is reduced.
        package func end() { unsafe words[2] = 0 }
    }
}

/// What has ended a process, as its page tells.
package struct Crash: Sendable {
    /// An action as `begin` was told of it.
    package typealias Action = (json: [UInt8], isReducing: Bool)

    /// `SIGSEGV`
    package let signal: String
    /// The build that it was of.
    package let build: String
    /// The calls, the innermost first: `+0x12ab4` counts from the beginning of the executable, `0x7f…` is
    /// elsewhere.
    package let addresses: [String]
    /// The last actions of the loop that has trapped, the oldest first; where it was none, those of all,
    /// of which nobody says then that they were being reduced: they had no part in it.
    package let actions: [Action]

    /// Nil where the page says nothing of a signal.
    fileprivate init?(noted bytes: [UInt8]) {
        guard bytes.count >= CrashPage.headByteCount else { return nil }
        func word(_ place: Int) -> UInt64 {
            (0..<8).reduce(0) { $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1) }
        }
        let names = [
            SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS",
            SIGFPE: "SIGFPE", SIGSEGV: "SIGSEGV",
        ]
        guard let signal = names[Int32(truncatingIfNeeded: word(0))] else { return nil }
        self.signal = signal
        guard word(CrashPage.layout.place) == CrashPage.layout.number else {
            (build, addresses, actions) = ("another", [], [])
            return
        }
        let (thread, start, end) = (word(8), word(16), word(24))
        build = String(decoding: bytes[CrashPage.buildPlace...].prefix { $0 != 0 }, as: UTF8.self)
        addresses = (0..<Int(min(word(32), clinux_frame_count))).map { index in
            let address = word(40 + 8 * index)
            let isOurs = (start..<max(start, end)).contains(address)
            return (isOurs ? "+0x" : "0x") + String(isOurs ? address - start : address, radix: 16)
        }
        let places = stride(
            from: CrashPage.headByteCount, through: bytes.count - CrashPage.actionByteCount,
            by: CrashPage.actionByteCount
        ).filter { word($0) != 0 }
        let own = places.filter { word($0 + 8) == thread }
        actions = (own.isEmpty ? places : own).sorted { word($0) < word($1) }.map { place in
            let count = min(Int(truncatingIfNeeded: word(place + 24)), CrashPage.jsonByteCount)
            let isReducing = !own.isEmpty && word(place + 16) == 1
            return (Array(bytes[(place + 32)...].prefix(max(0, count))), isReducing)
        }
    }
}

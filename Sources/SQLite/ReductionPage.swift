import Glibc

/// A page of a file that outlives the process: it names the session, and the version, that each event
/// loop is making. What has ended the process meanwhile is found there at the next start.
///
/// Safety: the page is mapped as long as the object lives; each loop writes the two words of its own
/// slot, and nobody reads them before the next process.
@safe package final class ReductionPage: @unchecked Sendable {
    private static let byteCount = 4_096
    /// Loops with one slot each, and as many sessions that were found at the last start.
    private static let slotCount = 128
    private static let suspicionMilliseconds: Int64 = 60_000

    private let words: UnsafeMutablePointer<Int64>
    /// Sessions that were being changed when the process ended, at two starts within 60 s.
    package private(set) var suspects: Set<Int64> = []

    /// Nil where there is no room for it.
    ///
    /// - Parameter now: of the wall clock, in milliseconds.
    package init?(_ path: String, now: Int64) {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // What has no room on the disk cannot be written to in memory either.
        guard posix_fallocate(file, 0, off_t(Self.byteCount)) == 0,
            let start = unsafe mmap(
                nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
            unsafe start != MAP_FAILED
        else { return nil }
        unsafe words = start.bindMemory(to: Int64.self, capacity: 4 * Self.slotCount)
        suspects = readSuspects(now)
    }

    deinit { unsafe munmap(words, Self.byteCount) }

    /// Turns the page: what the slots name is what the next start compares with.
    private func readSuspects(_ now: Int64) -> Set<Int64> {
        let (slots, former) = (0..<Self.slotCount, Self.slotCount..<2 * Self.slotCount)
        let recent = 0...Self.suspicionMilliseconds
        let suspected = Set(
            former.filter { unsafe recent.contains(now &- words[2 * $0 + 1]) }
                .map { unsafe words[2 * $0] })
        let found = Set(slots.map { unsafe words[2 * $0] }).subtracting([0])
        unsafe words.update(repeating: 0, count: 4 * Self.slotCount)
        for (slot, session) in zip(former, found) {
            unsafe (words[2 * slot], words[2 * slot + 1]) = (session, now)
        }
        return suspected.intersection(found)
    }

    /// - Parameter version: nil once it is made.
    package func mark(_ session: Int64, at version: UInt64?, on loop: Int) {
        let slot = 2 * (loop & (Self.slotCount - 1))
        guard let version else { return unsafe words[slot] = 0 }
        unsafe words[slot + 1] = Int64(bitPattern: version)
        unsafe words[slot] = session
    }
}

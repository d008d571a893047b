internal import CLinux
import Glibc

/// A page of a file that outlives the process: it names the session, and the version, that each event
/// loop is making. What has ended the process meanwhile is found there at the next start.
///
/// Safety: the page is mapped as long as the object lives, and nobody reads it before the next process.
/// A loop writes the two aligned words of its own slot, and the handler of traps the last word. Loops that
/// open two sessions of one slot at a time write the same two words: then a mark is lost, or names the
/// version of the other one, and a trap is found a start later.
@safe package final class ReductionPage: @unchecked Sendable {
    private static let byteCount = 4_096
    /// Loops with two words each, as many openings, and for each of them a session, with three, that was
    /// found at the last trap.
    private static let slotCount = 96
    /// Behind the slots: not 0 where a trap has ended the process.
    private static let trapWord = 5 * slotCount
    private static let suspicionMilliseconds: Int64 = 60_000

    private let words: UnsafeMutablePointer<Int64>
    /// The version of a session that was being made when a trap has ended the process the last time, and
    /// whether it was the same one the time before, within 60 s.
    package typealias Suspect = (version: UInt64, isSecond: Bool)
    package private(set) var suspects: [Int64: Suspect] = [:]

    /// Nil where there is no room for it.
    ///
    /// - Parameter now: of the wall clock, in milliseconds.
    package init?(_ path: String, now: Int64) {
        guard let start = unsafe clinux_map_file(path, Self.byteCount) else { return nil }
        unsafe words = start.bindMemory(to: Int64.self, capacity: Self.trapWord + 1)
        suspects = readSuspects(now)
        unsafe clinux_note_traps(words + Self.trapWord)
    }

    deinit {
        unsafe clinux_forget_traps(words + Self.trapWord)
        unsafe munmap(words, Self.byteCount)
    }

    /// Turns the page: what the slots name where a trap has ended the process is what the next start
    /// compares with. A kill says nothing, for it may come at any moment.
    private func readSuspects(_ now: Int64) -> [Int64: Suspect] {
        let former = stride(from: 2 * Self.slotCount, to: 5 * Self.slotCount, by: 3)
        let isTrap = unsafe words[Self.trapWord] != 0
        var found: [Int64: Int64] = [:]
        for slot in 0..<Self.slotCount { unsafe found[words[2 * slot]] = words[2 * slot + 1] }
        found[0] = nil
        var trapped = isTrap ? found : [:]
        var suspects = trapped.mapValues { Suspect(UInt64(bitPattern: $0), false) }
        for place in former {
            let (session, time, version) = unsafe (words[place], words[place + 1], words[place + 2])
            guard found[session] == version,
                (0...Self.suspicionMilliseconds).contains(now &- time)
            else { continue }
            trapped[session] = version
            if isTrap { suspects[session]?.isSecond = true }
        }
        unsafe words.update(repeating: 0, count: Self.trapWord + 1)
        for (place, (session, version)) in zip(former, trapped) {
            unsafe (words[place], words[place + 1], words[place + 2]) = (session, now, version)
        }
        return suspects
    }

    /// - Parameters:
    ///   - version: nil once it is made.
    ///   - loop: nil for an opening; two of which may meet in one slot.
    package func mark(_ session: Int64, at version: UInt64?, on loop: Int?) {
        let half = Self.slotCount / 2
        let slot = 2 * (loop.map { $0 % half } ?? half + Int(session % Int64(half)))
        guard let version else { return unsafe words[slot] = 0 }
        unsafe words[slot + 1] = Int64(bitPattern: version)
        unsafe words[slot] = session
    }
}

internal import CLinux
import Glibc

/// A page that names the session, and the version, that each event loop is making: of a file that outlives
/// the process, where the next start finds what has ended it meanwhile; or of memory, where another thread
/// finds it before the process ends.
///
/// Safety: the page is mapped as long as the object lives, and nobody reads it before the next process, or
/// the trap. A loop writes the two aligned words of its own slot, and the handler of traps the last word. Loops that
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
    /// The versions of a session that were being made when a trap has ended the process the last time, and
    /// whether each was also the time before, within 60 s.
    package typealias Suspect = [UInt64: Bool]
    package private(set) var suspects: [Int64: Suspect] = [:]
    /// For the thread that is rung for.
    private var isTaken = false

    /// Nil where there is no room for it.
    ///
    /// - Parameter now: of the wall clock, in milliseconds.
    package init?(_ path: String, now: Int64) {
        guard let start = unsafe clinux_map_file(path, Self.byteCount) else { return nil }
        unsafe words = start.bindMemory(to: Int64.self, capacity: Self.trapWord + 1)
        suspects = readSuspects(now)
        unsafe clinux_note_traps(words + Self.trapWord, -1)
    }

    /// One in memory, for a thread that is rung for by a trap, which waits half a second at most until that
    /// thread has told of what it finds.
    ///
    /// - Parameter bell: an eventfd that is there as long as the page.
    package init?(ringing bell: Int32) {
        guard let start = unsafe clinux_map_file(nil, Self.byteCount) else { return nil }
        unsafe words = start.bindMemory(to: Int64.self, capacity: Self.trapWord + 1)
        unsafe clinux_note_traps(words + Self.trapWord, bell)
    }

    /// What is being made while a trap waits; nil where none does, or it was taken.
    package func takeTrap() -> [(session: Int64, version: UInt64)]? {
        guard unsafe words[Self.trapWord] == 1, !isTaken else { return nil }
        isTaken = true
        return marks
    }

    /// The trap goes on.
    package func endTrap() { unsafe words[Self.trapWord] = 2 }

    private var marks: [(session: Int64, version: UInt64)] {
        stride(from: 0, to: 2 * Self.slotCount, by: 2).map {
            unsafe (words[$0], UInt64(bitPattern: words[$0 + 1]))
        }.filter { $0.session != 0 }
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
        var found: [Int64: Suspect] = [:]
        for mark in marks { found[mark.session, default: [:]][mark.version] = false }
        var trapped = isTrap ? found : [:]
        for place in former {
            let (session, time, word) = unsafe (words[place], words[place + 1], words[place + 2])
            let version = UInt64(bitPattern: word)
            guard found[session]?[version] != nil,
                (0...Self.suspicionMilliseconds).contains(now &- time)
            else { continue }
            trapped[session, default: [:]][version] = true
        }
        unsafe words.update(repeating: 0, count: Self.trapWord + 1)
        let pairs = trapped.flatMap { session, suspect in suspect.keys.map { (session, $0) } }
        for (place, (session, version)) in zip(former, pairs) {
            unsafe (words[place], words[place + 1]) = (session, now)
            unsafe words[place + 2] = Int64(bitPattern: version)
        }
        return isTrap ? trapped : [:]
    }

    /// - Parameter loop: nil for an opening or a reading; two of which may meet in one slot, and then
    ///   neither ends the other's mark.
    package func mark(_ session: Int64, at version: UInt64, isDone: Bool, on loop: Int?) {
        let half = Self.slotCount / 2
        let key = UInt64(bitPattern: session) &+ version
        let place = 2 * (loop.map { $0 % half } ?? half + Int(key % UInt64(half)))
        let word = Int64(bitPattern: version)
        if !isDone {
            unsafe (words[place + 1], words[place]) = (word, session)
        } else if unsafe loop != nil || (words[place], words[place + 1]) == (session, word) {
            unsafe words[place] = 0
        }
    }
}

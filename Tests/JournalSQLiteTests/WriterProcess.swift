import Foundation
import JournalConformance
import JournalSQLite
import Journaling
import Synchronization
import Testing

/// A process that changes a journal, and what it has said of it.
final class WriterProcess: Sendable {
    private let process = Process()
    private let output = Pipe()

    private static let directory = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()

    init(
        _ directory: String, seed: UInt64, sessions: Int = 8, steps: Int,
        environment: [String: String] = [:]
    ) throws {
        process.executableURL = Self.directory.appending(path: "journal-writer")
        process.arguments = [directory, "\(seed)", "\(sessions)", "\(steps)"]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for the end, and reads what it has printed.
    ///
    /// - Parameter count: it is killed once it has printed so many bytes.
    func lines(killedAfter count: Int = .max, by signal: Int32 = SIGKILL) -> [String] {
        lines(killedBy: count == .max ? nil : signal) { $0.count >= count }
    }

    /// - Parameter word: it is killed once it has printed that.
    func lines(killedAfter word: String) -> [String] {
        lines(killedBy: SIGKILL) { $0.range(of: Data(word.utf8)) != nil }
    }

    private func lines(killedBy signal: Int32?, once isEnough: (Data) -> Bool) -> [String] {
        var data = Data()
        while !isEnough(data) {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            data += more
        }
        if let signal { send(signal) }
        data += output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        // A line that was cut off says nothing.
        let text = String(decoding: data, as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
            String($0)
        }
    }

    /// The library that has system calls fail, compiled once.
    static let faults: String = {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Support/JournalFaults/faults.c")
        let library = directory.appending(path: "journal-faults.so")
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "clang", "-O1", "-shared", "-fPIC", "-o", library.path, source.path, "-ldl",
        ]
        do { try compiler.run() } catch { return "" }
        compiler.waitUntilExit()
        return library.path
    }()
}

/// What has to be in a journal, by what writers have said.
struct Ledger {
    /// The numbers that were kept, by session and version.
    private var kept: [String: [UInt64: Int]] = [:]
    private var refused: [String: Set<Int>] = [:]
    private var forgotten: [String: UInt64] = [:]
    private(set) var erased: [String] = []
    private(set) var keptCount = 0
    private(set) var refusedCount = 0
    private(set) var unknownCount = 0
    /// Histories that began later than what was forgotten says.
    private(set) var trimmedCount = 0

    mutating func read(_ lines: [String]) {
        for line in lines {
            let words = line.split(separator: " ").map { String($0) }
            guard words.count > 1 else { continue }
            if words[0] == "erased" { erased.append(words[1]) }
            guard words.count > 2, let version = UInt64(words[2]) else { continue }
            if words[0] == "forgotten" { forgotten[words[1]] = version }
            guard words.count > 3, let number = Int(words[3]) else { continue }
            switch words[0] {
            case "kept":
                keptCount += 1
                kept[words[1], default: [:]][version] = number
            case "refused":
                refusedCount += 1
                refused[words[1], default: []].insert(number)
            case "unknown": unknownCount += 1
            default: break
            }
        }
    }

    /// Looks whether the journal has all of it, without gaps.
    ///
    /// - Parameter isTrimmed: histories may begin anywhere.
    mutating func check(_ journal: any Journal, isTrimmed: Bool = false) async throws {
        for (id, entries) in kept {
            let name = SessionName(mount: "/list", id: id)
            guard let opened = try await journal.open(name, making: nil),
                let document = opened.document
            else { throw BrokenLaw("\(id) is gone, of which \(entries.count) were kept.") }
            let json = String(decoding: document.json, as: UTF8.self)
            let list = json.dropFirst(#"{"list":["#.count).dropLast(2).split(separator: ",")
                .compactMap { Int($0) }
            try expect(
                list.count == Int(document.version),
                "\(id) at \(document.version) has \(list.count) numbers.")
            for (version, number) in entries {
                try expect(
                    version <= document.version && list[Int(version) - 1] == number,
                    "\(id) has lost its version \(version): \(number).")
            }
            let wrong = refused[id, default: []].intersection(list)
            try expect(wrong.isEmpty, "\(id) has \(wrong), which were refused.")
            try await checkHistory(name, document.version, isTrimmed, in: journal)
        }
        for id in erased {
            try await expect(.ended) { () throws(JournalFailure) in
                try await journal.open(SessionName(mount: "/list", id: id), making: nil)
            }
        }
    }

    private mutating func checkHistory(
        _ name: SessionName, _ version: UInt64, _ isTrimmed: Bool, in journal: any Journal
    ) async throws {
        var last = forgotten[name.id] ?? 0
        while true {
            do throws(JournalFailure) {
                last = try await end(of: name, after: last, in: journal)
                break
            } catch .compacted(let oldest?) {
                // Forgetting was kept, and the writer killed before it could say so.
                try expect(oldest > last, "\(name) begins at \(oldest).")
                guard isTrimmed else { return }
                trimmedCount += 1
                last = oldest
            }
        }
        try expect(last == version, "The history of \(name) ends at \(last), not at \(version).")
    }

    /// The version of the last of the consecutive entries behind one.
    private func end(
        of name: SessionName, after version: UInt64, in journal: any Journal
    ) async throws(JournalFailure) -> UInt64 {
        var last = version
        while let entry = try await journal.entries(
            of: name, after: last, limit: ReadLimit(entryCount: 10_000)
        ).last {
            last = entry.version
        }
        return last
    }
}

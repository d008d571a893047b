import Bytes
import Foundation
import JournalConformance
import JournalSQLite
import Journaling
import Testing

/// What a process writes to its journal's folder, up to a moment at which the power fails.
@Suite struct PowerLossTests {
    /// `JOURNAL_FAULTS=1`: each moment; otherwise some.
    private static let isThorough = ProcessInfo.processInfo.environment["JOURNAL_FAULTS"] == "1"

    @Test func `all that was acknowledged is there after a power loss at any moment`()
        async throws
    {
        let place = try Place()
        let (record, image) = ("\(place.path)/record", "\(place.path)/image")
        let seed = UInt64.random(in: 0..<1 << 32)
        let writer = try WriterProcess(
            place.journal, seed: seed, sessions: 3, steps: 25,
            environment: [
                "LD_PRELOAD": WriterProcess.faults, "FAULT_FOLDER": place.journal,
                "FAULT_RECORD": record,
            ])
        #expect(writer.lines().last == "closed")
        let steps = try Step.all(in: Data(contentsOf: URL(filePath: record)))
        var (disk, ledger, count) = (Disk(), Ledger(), 0)
        var random = SplitMix(seed: seed)
        for step in steps {
            disk.take(step)
            if step.kind == "p" {
                ledger.read(
                    String(decoding: step.bytes, as: UTF8.self).split(separator: "\n").map(
                        String.init))
            }
            guard Self.isThorough || Int.random(in: 0..<steps.count, using: &random) < 16 else {
                continue
            }
            for loss in Disk.Loss.allCases {
                count += 1
                try disk.write(to: image, losing: loss, using: &random)
                do {
                    let journal = try SQLiteJournal(directory: image)
                    try await ledger.check(journal)
                    await journal.close()
                } catch {
                    throw BrokenLaw("Seed \(seed), \(loss) of what is not synced lost: \(error)")
                }
            }
        }
        print("\(count) images of \(steps.count) steps, with up to \(ledger.keptCount) entries")
        #expect(ledger.keptCount > 50)
    }

    /// What SQLite was to take back of a file that had no page before: of a first start that has turned the
    /// log on, or of an export, of which nothing would be left.
    @Test(arguments: [1, 3])
    func `a first start that has lost power is begun again, and part of a copy is left as it is`(
        pageCount: Int
    ) async throws {
        let place = try Place()
        try FileManager.default.createDirectory(
            atPath: place.journal, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let pages = Data("SQLite format 3\0".utf8) + Data(count: pageCount * 4_096 - 16)
        try pages.write(to: URL(filePath: place.database))
        let header: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
        // No records, the sum's beginning, no pages, and the bytes of sectors and pages.
        let numbers: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 16, 0]
        try Data(header + numbers + [UInt8](repeating: 0, count: 484)).write(
            to: URL(filePath: "\(place.database)-journal"))
        guard pageCount == 1 else {
            #expect(throws: JournalRefusal.self) { try SQLiteJournal(directory: place.journal) }
            #expect(throws: JournalRefusal.self) { try JournalDirectory(place.journal).check() }
            #expect(try Data(contentsOf: URL(filePath: place.database)) == pages)
            return
        }
        let journal = try SQLiteJournal(directory: place.journal)
        var session = try await TestSession("a", in: journal)
        try await session.append()
        await journal.close()
    }
}

/// One line of a record, as `faults.c` writes it.
private struct Step {
    let kind: Character
    let offset: Int
    let file: String
    let bytes: Data

    static func all(in data: Data) -> [Step] {
        var (steps, rest): ([Step], Data) = ([], data)
        while let end = rest.firstIndex(of: 10) {
            let words = String(decoding: rest[..<end], as: UTF8.self).split(
                separator: " ", maxSplits: 3)
            guard words.count == 4, let kind = words[0].first, let offset = Int(words[1]),
                let count = Int(words[2])
            else { break }
            let bytes = rest[(end + 1)...].prefix(count)
            steps.append(
                Step(
                    kind: kind, offset: offset,
                    file: String(words[3].split(separator: "/").last ?? ""), bytes: bytes))
            rest = rest[bytes.endIndex...]
        }
        return steps
    }
}

/// A folder of files, with what a power loss may take from them.
private struct Disk {
    enum Loss: CaseIterable {
        /// Nothing, all, or any sectors, of what was not synced.
        case none, all, some
    }

    private struct File {
        var bytes = Data()
        /// Written or cut since the last sync.
        var pending: [Step] = []

        mutating func take(_ step: Step) {
            let end = step.offset + step.bytes.count
            if step.kind == "t" { bytes = bytes.prefix(step.offset) }
            if bytes.count < end { bytes += Data(count: end - bytes.count) }
            bytes.replaceSubrange(step.offset..<end, with: step.bytes)
        }

        mutating func sync() {
            for step in pending { take(step) }
            pending = []
        }
    }

    private var files: [String: File] = [:]

    /// That a file is there, and that it is gone, is on the disk at once.
    mutating func take(_ step: Step) {
        switch step.kind {
        case "w", "t": files[step.file, default: File()].pending.append(step)
        case "s": files[step.file]?.sync()
        case "u": files[step.file] = nil
        default: break
        }
    }

    func write(
        to folder: String, losing loss: Loss, using random: inout some RandomNumberGenerator
    ) throws {
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        // The memory that processes share is none of the disk's.
        for (name, file) in files where !name.hasSuffix("-shm") {
            var file = file
            switch loss {
            case .none: file.sync()
            case .all: break
            case .some:
                file.pending = file.pending.flatMap(\.sectors).filter { _ in
                    Bool.random(using: &random)
                }
                file.sync()
            }
            try file.bytes.write(to: URL(filePath: "\(folder)/\(name)"))
        }
    }
}

extension Step {
    /// What a disk writes as a whole: 512 bytes.
    fileprivate var sectors: [Step] {
        guard kind == "w" else { return [self] }
        return stride(from: 0, to: bytes.count, by: 512).map { start in
            Step(
                kind: kind, offset: offset + start, file: file,
                bytes: bytes.dropFirst(start).prefix(512))
        }
    }
}

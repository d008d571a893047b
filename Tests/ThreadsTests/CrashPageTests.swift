import Foundation
import Testing

@testable import Threads

@Suite struct `The page of crashes` {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "crash-\(UUID().uuidString)").path

    private static func page(_ folder: String) throws -> CrashPage {
        try CrashPage(in: folder, loopCount: 2, build: "a build")
    }

    private func former() throws -> Crash? { try Self.page(folder).former }

    @Test(arguments: [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV])
    func `tells the signal that has ended the process, and where, once`(signal: Int32) async throws
    {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        await #expect(processExitsWith: .signal(signal)) {
            [folder = folder as String, signal = signal as Int32] in
            let page = try Self.page(folder)
            let part = page.part(of: 1)
            part.begin(Array("ended".utf8))
            part.end()
            part.begin(Array("begun".utf8))
            // A test's own thread may have blocked it.
            if signal == SIGABRT { abort() } else { raise(signal) }
            part.end()
        }
        let crash = try #require(try former())
        let names = [
            SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS",
            SIGFPE: "SIGFPE", SIGSEGV: "SIGSEGV",
        ]
        #expect(crash.signal == names[signal] && crash.build == "a build")
        #expect(
            crash.actions.map { String(decoding: $0.json, as: UTF8.self) } == ["ended", "begun"])
        #expect(crash.actions.map(\.isReducing) == [false, true])
        // The innermost calls are the library's, and those of `abort` have no frames.
        let isFramed = signal != SIGABRT
        #expect(crash.addresses.contains { $0.hasPrefix(isFramed ? "+0x" : "0x") })
        // Until it was told, each start has it.
        let page = try Self.page(folder)
        #expect(page.former?.signal == crash.signal)
        #expect(page.tellFormer(by: [10], in: "crashes.ndjson"))
    }

    @Test(arguments: [SIGILL, SIGSEGV])
    func `lets the former handler of a fault go on`(fault: Int32) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        await #expect(processExitsWith: .exitCode(42)) {
            [folder = folder as String, fault = fault as Int32] in
            _ = signal(fault) { _ in _exit(42) }
            let page = try Self.page(folder)
            page.part(of: 0).begin([])
            if fault == SIGILL { preconditionFailure("A trap.") }
            // No memory is there.
            unsafe UnsafeMutablePointer<Int>(bitPattern: 64)?.pointee = 7
        }
        let crash = try #require(try former())
        #expect(crash.signal == (fault == SIGILL ? "SIGILL" : "SIGSEGV"))
        #expect(crash.addresses.isEmpty == false && crash.actions.map(\.isReducing) == [true])
    }

    @Test func `says nothing of a signal that was outlived until an orderly end`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for isClosed in [true, false] {
            await #expect(processExitsWith: .success) {
                [folder = folder as String, isClosed = isClosed as Bool] in
                _ = signal(SIGSEGV, SIG_IGN)
                let page = try Self.page(folder)
                raise(SIGSEGV)
                if isClosed { page.close() }
                exit(0)
            }
            #expect(try (former() == nil) == isClosed)
        }
    }

    @Test func `has the last 64 actions of a loop, each cut where it is too long`()
        async throws
    {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        await #expect(processExitsWith: .failure) { [folder = folder as String] in
            let page = try Self.page(folder)
            let part = page.part(of: 0)
            // A loop's part is its own.
            for other in [1, nil] { page.part(of: other).begin([0]) }
            try NamedThread.start(name: "loop") {
                for number in 1...90 {
                    part.begin([UInt8](repeating: UInt8(number), count: number == 90 ? 10_000 : 3))
                    part.end()
                }
                abort()
            }
            while true { pause() }
        }
        let crash = try #require(try former())
        #expect(crash.actions.map { $0.json.first } == (27...90).map { UInt8($0) })
        #expect(crash.actions.last?.json.count == CrashPage.jsonByteCount)
        #expect(crash.actions.allSatisfy { !$0.isReducing })
    }

    @Test func `blames no action that another thread reduces meanwhile`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        await #expect(processExitsWith: .failure) { [folder = folder as String] in
            let part = try Self.page(folder).part(of: 0)
            part.begin(Array("begun".utf8))
            try NamedThread.start(name: "other") { abort() }
            while true { pause() }
        }
        let actions = try #require(try former()).actions
        #expect(actions.map(\.isReducing) == [false])
    }

    @Test func `says nothing of a process that has ended, or was killed`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder as String] in
            let page = try Self.page(folder)
            page.part(of: 0).begin(Array("begun".utf8))
            raise(SIGKILL)
        }
        #expect(try former() == nil)
        // What else stands there, or too little, is no crash.
        let page = "\(folder)/crash.page"
        for bytes in [Data(), Data(repeating: 7, count: 100), Data(repeating: 255, count: 50_000)] {
            try bytes.write(to: URL(filePath: page))
            #expect(try former() == nil)
        }
        var torn = Data(repeating: 255, count: 4_096 + 8_192)
        torn.replaceSubrange(0..<8, with: [UInt8(SIGSEGV), 0, 0, 0, 0, 0, 0, 0])
        try torn.write(to: URL(filePath: page))
        #expect(try former()?.build == "another")
        torn.replaceSubrange(2_040..<2_048, with: [2, 0, 0, 0, 0, 0, 0, 0])
        try torn.write(to: URL(filePath: page))
        #expect(try former()?.addresses.count == 60)
    }

    @Test func `is one server's at a time, and nobody else's to read`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            let page = try Self.page(folder)
            #expect(throws: FolderRefusal.self) { try Self.page(folder) }
            #expect(page.former == nil)
        }
        #expect(try former() == nil)
        // Where a file system knows no locks, a second server would not be seen.
        #expect(throws: FolderRefusal.self) {
            try PrivateFolder.lock(-1, of: folder, hasFence: false)
        }
        try PrivateFolder.lock(-1, of: folder, hasFence: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
        #expect(throws: FolderRefusal.self) { try Self.page(folder) }
    }

    @Test(arguments: ["", "/", "//", "/.", "/./"])
    func `is in no folder that a link leads to, however its path ends`(end: String) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(
            atPath: "\(folder)/real", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let link = "\(folder)/link"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: "\(folder)/real")
        #expect(throws: FolderRefusal.self) {
            try PrivateFolder(link + end, lock: "a.lock", mayBeLink: false)
        }
        let real = try PrivateFolder("\(folder)/real" + end, lock: "a.lock", mayBeLink: false)
        #expect(real.path == "\(folder)/real")
    }
}

import Bytes
import Foundation
import TemporaryFolder
import Testing

@Suite(.serialized) struct CrashTests {
    /// `CRASH_ROUNDS=200` for a night's run.
    private static let rounds =
        ProcessInfo.processInfo.environment["CRASH_ROUNDS"].flatMap { Int($0) } ?? 6
    private static let roundsOfACrowd = 20

    /// The wall clock of servers jumps by so many seconds, and back, each second.
    @Test(arguments: [0, 5_000])
    func `what a killed server has acknowledged is there once, and streams go on`(
        jump: Int
    ) throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        print("Seed \(seed)")
        var random = SplitMix(seed: seed)
        let clock =
            jump == 0 ? [:] : ["LD_PRELOAD": ServerProcess.faults, "FAULT_CLOCK": "\(jump)"]
        let rounds = jump == 0 ? Self.rounds : Self.rounds / 2
        for first in stride(from: 0, to: rounds, by: Self.roundsOfACrowd) {
            let place = TemporaryFolder()
            let crowd = Crowd()
            for round in first..<min(first + Self.roundsOfACrowd, rounds) {
                let server = try ServerProcess(keptIn: place.path, environment: clock)
                if round == first { try crowd.makeSessions(on: [server.port]) }
                // Between the first requests, or behind many.
                let count = Int.random(
                    in: 0...Int.random(in: 0...300, using: &random), using: &random)
                crowd.post(to: [server.port]) {
                    crowd.wait(forMore: count)
                    if jump > 0, round == first { crowd.waitForJump() }
                    server.kill()
                }
            }
            let server = try ServerProcess(keptIn: place.path)
            crowd.finish(on: [server.port])
            #expect(server.terminate() == 0)
            let kept = try Kept(exportedFrom: place.path)
            for finding in crowd.compare(with: kept) { Issue.record("Seed \(seed): \(finding)") }
            let now = Int(Date().timeIntervalSince1970)
            #expect((kept.lastSecond > now) == (jump > 0), "The clock has jumped as it was to.")
            print("After round \(first + 1) and on: \(crowd.summary)")
        }
    }

    /// `Tests/Benchmarks/restart.py` has ten thousand.
    @Test func `three hundred streams go on when their server is killed, and when it is replaced`()
        throws
    {
        let (script, output) = (Process(), Pipe())
        script.executableURL = URL(filePath: "/usr/bin/env")
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Benchmarks/restart.py").path
        script.arguments = [
            "python3", path, "--streams", "300", "--binary", ServerProcess.binary.path,
        ]
        script.standardOutput = output
        try script.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        script.waitUntilExit()
        #expect(script.terminationStatus == 0, "\(text)")
    }

    @Test func `a second server on a directory ends, and says what else it may have`() throws {
        let place = TemporaryFolder()
        let first = try ServerProcess(keptIn: place.path)
        let output = try ServerProcess.output(
            "serve", "--port", "0", "--journal", place.path, isRefused: true)
        let text = String(decoding: output, as: UTF8.self)
        #expect(text.contains("\(place.path) is in use by process \(first.processID)."))
        #expect(text.contains("--journal DIRECTORY") && text.contains("--journal memory"))
        #expect(first.terminate() == 0)
        #expect(try ServerProcess.output("journal", "check", place.path).count > 0)
    }

    /// A system call on the server's folder that fails, and how often.
    struct Fault: Sendable, CustomTestStringConvertible {
        let call: String
        let code: Int32
        var times = 1
        /// The calls of a server that starts, and takes a hundred posts; those of some kinds come at its
        /// start alone.
        var numbers = 30...70

        var testDescription: String { "\(call) with \(code), \(times) times" }
    }

    /// All of them, each at several calls, where rounds are asked for.
    static let faults = [
        Fault(call: "pwrite", code: ENOSPC, times: 40),
        Fault(call: "fdatasync", code: EIO, times: 3),
        Fault(call: "pwrite", code: EIO), Fault(call: "pwrite", code: 0),
        Fault(call: "fdatasync", code: EIO), Fault(call: "pread", code: EIO, times: 2),
        Fault(call: "fdatasync", code: ENOSPC),
        Fault(call: "open", code: EIO, numbers: 1...16),
        Fault(call: "open", code: ENOSPC, numbers: 1...16),
        Fault(call: "ftruncate", code: EIO, numbers: 1...6),
        Fault(call: "ftruncate", code: ENOSPC, numbers: 1...6),
    ].prefix(rounds > 6 ? 11 : 2)

    @Test(arguments: faults)
    func `what a server has acknowledged is there once though its disk fails`(fault: Fault) throws {
        for number in fault.numbers.shuffled().prefix(Self.rounds > 6 ? 16 : 1) {
            try fail(fault, at: number)
        }
    }

    private func fail(_ fault: Fault, at number: Int) throws {
        let place = TemporaryFolder()
        let crowd = Crowd(hasUnreadablePages: fault.call == "pread")
        let first = try ServerProcess(keptIn: place.path)
        try crowd.makeSessions(on: [first.port])
        #expect(first.terminate() == 0)
        let faults = [
            "LD_PRELOAD": ServerProcess.faults, "FAULT_FOLDER": place.path,
            "FAULT_CALL": fault.call, "FAULT_AT": "\(number)", "FAULT_ERRNO": "\(fault.code)",
            "FAULT_LASTING": "\(fault.times - 1)",
        ]
        // One that does not start has taken nothing.
        if let faulty = try? ServerProcess(keptIn: place.path, environment: faults) {
            crowd.post(to: [faulty.port]) {
                crowd.wait(forMore: 100)
                faulty.kill()
            }
        }
        let last = try ServerProcess(keptIn: place.path)
        crowd.finish(on: [last.port])
        #expect(last.terminate() == 0)
        for finding in crowd.compare(with: try Kept(exportedFrom: place.path)) {
            Issue.record("\(fault.call) \(number): \(finding)")
        }
        print("\(fault.testDescription): \(crowd.summary)")
    }
}

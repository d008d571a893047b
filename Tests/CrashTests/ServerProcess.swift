import ClientWire
import Foundation
import Sockets
import StateCoding
import Synchronization

/// The real binary that serves the benchmarks' application from a folder, or a database.
final class ServerProcess: Sendable {
    let port: Int
    var processID: Int32 { process.processIdentifier }
    private let process = Process()

    private static let directory = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()
    /// `STATECAST` names another one than the build's.
    static let binary =
        ProcessInfo.processInfo.environment["STATECAST"].map { URL(filePath: $0) }
        ?? directory.appending(path: "statecast")

    init(
        keptIn path: String, _ options: [String] = [], environment: [String: String] = [:]
    ) throws {
        let output = Pipe()
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.executableURL = Self.binary
        process.arguments =
            [
                "serve", "--port", "0", "--benchmark", "--journal", path, "--loops", "2",
                "--upstream", "http://127.0.0.1:9", "--log-level", "error",
            ] + options
        process.standardOutput = output
        try process.run()
        var text = ""
        while !text.contains("serving on ") {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { throw CocoaError(.executableLoad) }
            text += String(decoding: more, as: UTF8.self)
        }
        port = text.split(separator: ":").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    }

    /// The library that has system calls fail, compiled once.
    static let faults: String = {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Support/JournalFaults/faults.c")
        let library = directory.appending(path: "server-faults.so").path
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "clang", "-O1", "-shared", "-fPIC", "-o", library, source.path, "-ldl",
        ]
        do { try compiler.run() } catch { preconditionFailure("No compiler: \(error)") }
        compiler.waitUntilExit()
        // A loader would leave out what is not there, and no fault would come.
        precondition(compiler.terminationStatus == 0, "faults.c does not compile.")
        return library
    }()

    deinit { if process.isRunning { kill() } }

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// All of its threads stand still, until it goes on.
    func hang() throws {
        Foundation.kill(process.processIdentifier, SIGSTOP)
        let threads = "/proc/\(processID)/task"
        for thread in try FileManager.default.contentsOfDirectory(atPath: threads) {
            var state: Substring = ""
            repeat {
                let text = try? String(
                    contentsOfFile: "\(threads)/\(thread)/stat", encoding: .utf8)
                // One may have ended meanwhile.
                state = text?.split(separator: ") ").last ?? "T"
            } while !state.hasPrefix("T")
        }
    }

    func goOn() { Foundation.kill(process.processIdentifier, SIGCONT) }

    /// What it says, by a connection of its own.
    func answer(_ request: ClientRequest) throws -> ClientAnswer {
        try Crowd.exchange(request, on: BlockingConnection(port: port))
    }

    func terminate() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// What a command of the binary prints; with its errors, and not to begin, where `isRefused`.
    static func output(_ arguments: String..., isRefused: Bool = false) throws -> Data {
        let (process, output) = (Process(), Pipe())
        process.executableURL = binary
        process.arguments = arguments
        process.standardOutput = output
        if isRefused { process.standardError = output }
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == (isRefused ? 78 : 0) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return data
    }
}

/// What a folder or a database has kept, as `statecast journal export` tells it once `check` has found it whole.
struct Kept {
    struct Session {
        var entries: [(key: String, counter: Int)] = []

        func counter(at version: Int) -> Int? {
            version == 0
                ? 0 : entries.indices.contains(version - 1) ? entries[version - 1].counter : nil
        }
    }

    private(set) var sessions: [Int: Session] = [:]
    /// The latest time of an entry, in seconds.
    private(set) var lastSecond = 0

    init(exportedFrom path: String) throws {
        _ = try ServerProcess.output("journal", "check", path)
        var (session, time) = (0, 0)
        for line in try ServerProcess.output("journal", "export", path).split(separator: 10) {
            let line = try JSONValue(parsing: Array(line).span)
            if let name = line["session"]?.string {
                session = name.split(separator: "/s").last.flatMap { Int($0) } ?? -1
                (sessions[session], time) = (Session(), 0)
            } else {
                let last = sessions[session]?.entries.last?.counter ?? 0
                let count = line["head"]?["action"]?["payload"]?["by"]?.integer ?? 0
                let told = line["patch"]?.elements?.first?["value"]?.integer
                guard told == last + count,
                    line["version"]?.integer == (sessions[session]?.entries.count ?? 0) + 1,
                    let at = line["at"]?.integer, at >= time
                else { throw CocoaError(.coderInvalidValue) }
                time = at
                lastSecond = max(lastSecond, at / 1_000)
                sessions[session]?.entries.append(
                    (line["head"]?["key"]?.string ?? "", last + count))
            }
        }
    }
}

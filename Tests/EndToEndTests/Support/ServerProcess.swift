import Foundation
import Synchronization

/// A process of ours whose standard output is read line by line; ended with its owner.
final class RunningProcess: Sendable {
    let process = Process()
    private let output = Pipe()
    private let unread = Mutex(Data())

    /// Starts an executable, with standard error left to the test's own.
    init(_ executable: URL, _ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// The next line that the process prints and that `matches` turns into a value.
    ///
    /// - Throws: `ProcessEnded` when the output ends first.
    func firstLine<Value>(_ matches: (String) -> Value?) throws -> Value {
        while true {
            if let value = match(matches) { return value }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { throw ProcessEnded(executable: process.executableURL?.path ?? "") }
            unread.withLock { $0.append(more) }
        }
    }

    private func match<Value>(_ matches: (String) -> Value?) -> Value? {
        while let line = nextLine() {
            if let value = matches(line) { return value }
        }
        return nil
    }

    private func nextLine() -> String? {
        unread.withLock { unread in
            guard let end = unread.firstIndex(of: 0x0A) else { return nil }
            let line = String(decoding: unread[unread.startIndex..<end], as: UTF8.self)
            unread.removeSubrange(unread.startIndex...end)
            return line
        }
    }

    /// Sends SIGTERM and waits for the end.
    ///
    /// - Returns: the exit status.
    func terminate() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Sends SIGKILL and waits for the end.
    func killNow() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The resident memory of the process, in bytes.
    var residentByteCount: Int {
        let path = "/proc/\(process.processIdentifier)/statm"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return 0 }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4096
    }
}

struct ProcessEnded: Error, CustomStringConvertible {
    let executable: String
    var description: String { "\(executable) ended before it printed what was awaited" }
}

/// The products that the build laid beside the tests.
enum Products {
    static let directory = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()
    static let statecast = directory.appending(path: "statecast")
    static let mockUpstream = directory.appending(path: "mock-upstream")
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    static let publicDirectory = root.appending(path: "Public")

    /// Runs a command to its end, with a text as its input.
    static func run(
        _ arguments: [String], of executable: URL = statecast, input: String = ""
    ) throws -> (status: Int32, output: String, errors: String) {
        let (process, output, errors, given) = (Process(), Pipe(), Pipe(), Pipe())
        process.executableURL = executable
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = given
        try process.run()
        given.fileHandleForWriting.write(Data(input.utf8))
        try given.fileHandleForWriting.close()
        let texts = [output, errors].map {
            String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        process.waitUntilExit()
        return (process.terminationStatus, texts[0], texts[1])
    }
}

/// `statecast serve` on a free port, with a mock upstream of its own.
final class StatecastServer: Sendable {
    let running: RunningProcess
    let port: Int
    /// Where the embedded mock upstream listens, to provoke failures and count requests.
    let upstream: URL?
    /// By which the one `--operator` signs in.
    let operatorToken: String?

    var base: String { "http://127.0.0.1:\(port)" }
    var client: JSONClient { JSONClient(base: base) }

    /// - Parameter port: 0 for a free one; a fixed one only to start again where a server ended.
    init(
        port: Int = 0, _ extra: [String] = [], delay: String = "0.05", journal: String = "memory"
    ) throws {
        running = try RunningProcess(
            Products.statecast,
            [
                "serve", "--port", "\(port)", "--public", Products.publicDirectory.path,
                "--upstream-delay", delay, "--journal", journal,
            ] + extra)
        var upstream: URL?
        var operatorToken: String?
        self.port = try running.firstLine { line in
            if let found = Self.address(after: "mock upstream on ", in: line) { upstream = found }
            operatorToken = Self.address(after: " by ", in: line)?.fragment ?? operatorToken
            return Self.address(after: "serving on ", in: line)?.port
        }
        self.upstream = upstream
        self.operatorToken = operatorToken.map { String($0.dropFirst("token=".count)) }
    }

    private static func address(after marker: String, in line: String) -> URL? {
        guard let range = line.range(of: marker) else { return nil }
        return line[range.upperBound...].split(separator: " ").first.flatMap {
            URL(string: String($0))
        }
    }
}

import Foundation
import Sockets

/// A server that was started to be measured.
final class PeerProcess {
    let port: Int
    var pid: Int { Int(process.processIdentifier) }
    private let process: Process
    /// Ends the server where this process ends without having done so, however it ends: what it reads
    /// ends with this process, too.
    private let guardian = Process()
    private let word = Pipe()

    private init(_ peer: PeerCommand, port: Int) throws {
        self.port = port
        process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        let command = peer.command.replacing("{PORT}", with: "\(port)")
        process.arguments = ["-c", "exec \(command)"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        guardian.executableURL = URL(filePath: "/bin/sh")
        guardian.arguments = ["-c", "read word || kill \(process.processIdentifier)"]
        guardian.standardInput = word
        try guardian.run()
    }

    /// Starts a server and waits until it takes connections.
    static func start(_ peer: PeerCommand) async throws -> PeerProcess {
        let started = try PeerProcess(
            peer, port: try Listener(host: "127.0.0.1", port: 0).port)
        for _ in 0..<200 {
            guard started.process.isRunning else {
                throw LoadError(description: "\(peer.name) ended: \(peer.command)")
            }
            if (try? BlockingConnection(port: started.port)) != nil { return started }
            try await Task.sleep(for: .milliseconds(50))
        }
        started.stop()
        throw LoadError(description: "\(peer.name) does not listen after 10 s")
    }

    /// Ends it; at once, where it does not follow within 5 s.
    func stop() {
        process.terminate()
        for _ in 0..<500 where process.isRunning { usleep(10_000) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        word.fileHandleForWriting.write(Data("ended\n".utf8))
        guardian.waitUntilExit()
    }
}

/// Tells how far a long run is.
func printToStandardError(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
}

import Foundation

/// The kernel's figures of the server's process.
struct ServerFigures: Sendable {
    /// Run time of all its threads.
    var cpuNanoseconds: UInt64 = 0
    /// Its resident memory.
    var residentByteCount: UInt64 = 0

    /// Reads `/proc/<pid>`; nil where there is no such process.
    static func read(_ pid: Int) -> ServerFigures? {
        let tasks = "/proc/\(pid)/task"
        guard let threads = try? FileManager.default.contentsOfDirectory(atPath: tasks) else {
            return nil
        }
        var figures = ServerFigures()
        for thread in threads {
            let path = "\(tasks)/\(thread)/schedstat"
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            figures.cpuNanoseconds += text.split(separator: " ").first.flatMap { UInt64($0) } ?? 0
        }
        let memory = (try? String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8)) ?? ""
        let pages = memory.split(separator: " ").dropFirst().first.flatMap { UInt64($0) } ?? 0
        figures.residentByteCount = pages * 4_096
        return figures
    }
}

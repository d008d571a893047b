import Foundation

/// The kernel's figures of the server's process.
struct ServerFigures: Sendable {
    /// Run time of all its threads.
    var cpuNanoseconds: UInt64 = 0
    /// Its resident memory that no file backs.
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
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { UInt64($0) } ?? 0
        figures.residentByteCount = kilobytes * 1_024
        return figures
    }

    /// The time between two figures; nil where a thread that has ended meanwhile took its time with
    /// it.
    static func cpu(from begun: ServerFigures?, to ended: ServerFigures?) -> UInt64? {
        guard let begun, let ended, ended.cpuNanoseconds >= begun.cpuNanoseconds else { return nil }
        return ended.cpuNanoseconds - begun.cpuNanoseconds
    }
}

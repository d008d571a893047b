import Foundation

/// The kernel's figures of the server's process.
struct ServerFigures: Sendable {
    /// Run time of the threads that it has.
    private var cpuNanoseconds: UInt64 = 0
    /// Run time of those that have ended, too, in steps of 10 ms.
    private var cpuTicks: UInt64 = 0
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
        let stat = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        // Behind the name in brackets, which may hold anything: the 12th and 13th field.
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        figures.cpuTicks = fields.dropFirst(11).prefix(2).reduce(0) { $0 + (UInt64($1) ?? 0) }
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { UInt64($0) } ?? 0
        figures.residentByteCount = kilobytes * 1_024
        return figures
    }

    /// The time between two figures; in steps of 10 ms, where a thread that has ended meanwhile took
    /// its time with it.
    static func cpu(from begun: ServerFigures?, to ended: ServerFigures?) -> UInt64? {
        guard let begun, let ended else { return nil }
        guard ended.cpuNanoseconds < begun.cpuNanoseconds else {
            return ended.cpuNanoseconds - begun.cpuNanoseconds
        }
        return (ended.cpuTicks - begun.cpuTicks) * 10_000_000
    }
}

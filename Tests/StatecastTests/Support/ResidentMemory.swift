import Foundation

/// What the process holds in memory (proc_pid_statm(5)).
enum ResidentMemory {
    /// Bytes, in whole pages.
    static func byteCount() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        guard let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}

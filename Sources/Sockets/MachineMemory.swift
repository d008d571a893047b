internal import Glibc

/// The memory that this process may have.
package enum MachineMemory {
    /// The bytes of memory that the process may have: the least limit of its control groups, or the
    /// machine's memory.
    package static var byteCount: Int {
        let machine = Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE)))
        let limits = controlGroupLimits()
        return limits.reduce(machine, min)
    }

    /// The limits that stand in the files of the process's control groups, from its own to the
    /// outermost (cgroups(7); version 2, and version 1 as containers show it).
    private static func controlGroupLimits() -> [Int] {
        var files = ["/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        let groups = text(of: "/proc/self/cgroup") ?? ""
        for line in groups.split(separator: "\n") where line.hasPrefix("0::/") {
            var path = line.dropFirst(3)
            while true {
                files.append("/sys/fs/cgroup\(path == "/" ? "" : path)/memory.max")
                guard let slash = path.lastIndex(of: "/"), path != "/" else { break }
                path = slash == path.startIndex ? "/" : path[..<slash]
            }
        }
        return files.compactMap { text(of: $0).flatMap(limit) }
    }

    /// The number in such a file; nil for `max`, and for numbers that stand for no limit.
    static func limit(in text: String) -> Int? {
        guard let value = Int(text.prefix { $0 != "\n" }), value > 0, value < 1 << 50 else {
            return nil
        }
        return value
    }

    private static func text(of path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe read(descriptor, $0.baseAddress, $0.count)
        }
        guard count > 0 else { return nil }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}

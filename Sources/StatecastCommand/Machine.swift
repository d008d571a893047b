import Glibc

/// The process's standard output.
enum StandardOutput {
    /// Passes printed lines on at once, which into a pipe would wait for more.
    static func flush() {
        fflush(nil)
    }
}

/// The machine that the process runs on.
enum Machine {
    /// The number of cores that are online, 1 to 64.
    static var coreCount: Int {
        min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 64)
    }
}

import Glibc

/// The process's standard output.
enum StandardOutput {
    /// Passes on what was printed: into a pipe it would otherwise wait for more.
    static func flush() {
        fflush(nil)
    }
}

/// The machine that the process runs on.
enum Machine {
    /// How many cores are online, 1 to 64.
    static var coreCount: Int {
        min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 64)
    }
}

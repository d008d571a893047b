import Glibc

/// The process's standard output.
enum StandardOutput {
    /// Passes on what was printed: into a pipe it would otherwise wait for more.
    static func flush() {
        fflush(nil)
    }
}

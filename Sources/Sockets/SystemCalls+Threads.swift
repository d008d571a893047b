internal import Glibc

extension SystemCalls {
    /// Starts a thread that runs the closure. Throws a `SystemError` that names the thread where
    /// the system refuses one (`EAGAIN`: a limit of the user, of the container or of memory).
    ///
    /// - Parameters:
    ///   - name: shown by a debugger, at most 15 bytes.
    ///   - stackByteCount: whole pages of memory.
    func startThread(
        name: String, stackByteCount: Int = NamedThread.defaultStackByteCount,
        _ run: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        try check(.startThread, subject: name) {
            do throws(ThreadRefusal) {
                try NamedThread.start(name: name, stackByteCount: stackByteCount, run)
                return 0
            } catch {
                errno = error.code
                return -1
            }
        }
    }
}

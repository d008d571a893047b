internal import Glibc
package import Threads

/// The end of a process that was not to begin.
package enum ProcessEnd {
    /// Tells on standard error why, in a sentence, and ends the process with the status of a mistake
    /// in the configuration (`EX_CONFIG` of sysexits.h), without the report of a crash.
    package static func refuse(_ sentence: String) -> Never {
        write("Error: \(sentence)\n", to: 2)
        exit(78)
    }

    /// Ends the process with what it was to find out.
    package static func finish(_ status: Int32) -> Never { exit(status) }

    /// Writes all of a text to the standard output, 1, or the standard error, 2; false where it cannot.
    @discardableResult
    package static func write(_ text: String, to output: Int32) -> Bool {
        // The number of an output that is closed may be that of something without a type of file: of an
        // event's descriptor, which the runtime has opened.
        var file = stat()
        guard unsafe fstat(output, &file) == 0, file.st_mode & S_IFMT != 0 else { return false }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(output, $0.baseAddress, $0.count)
            }
            if count > 0 {
                rest.removeFirst(count)
            } else if errno == EAGAIN {
                var room = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                unsafe poll(&room, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Has ^C end the process with the status that shells give it, 130, and the prompt on a line of its own; and
    /// the end of whoever reads its output, in silence, also while it writes nothing.
    package static func obeySignals() throws(ThreadRefusal) {
        // A connection would have the number of an output that is closed, and be written to.
        while unsafe 0...2 ~= open("/dev/null", O_RDONLY) {}
        _ = signal(SIGPIPE, SIG_DFL)
        _ = signal(SIGINT) { _ in
            let newline: StaticString = "\n"
            if isatty(2) == 1 { _ = unsafe Glibc.write(2, newline.utf8Start, 1) }
            _exit(130)
        }
        try NamedThread.start(name: "reader", stackByteCount: 256 << 10) {
            // Of no events, but for an error or a hang-up.
            var output = pollfd(fd: 1, events: 0, revents: 0)
            while unsafe poll(&output, 1, -1) != 1 {}
            _exit(128 + SIGPIPE)
        }
    }
}

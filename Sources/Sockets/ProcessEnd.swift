internal import Glibc
package import Threads

/// The end of a process that was not to begin.
package enum ProcessEnd {
    /// Tells on standard error why, in a sentence, and ends the process with the status of a mistake
    /// in the configuration (`EX_CONFIG` of sysexits.h), without the report of a crash.
    package static func refuse(_ sentence: String) -> Never {
        tell("Error: \(sentence)\n")
        exit(78)
    }

    /// Writes to standard error.
    package static func tell(_ text: String) {
        _ = unsafe Array(text.utf8).withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
    }

    /// Has ^C end the process with the status that shells give it, 130, and the prompt on a line of its own; and
    /// the end of whoever reads its output, in silence, also while it writes nothing.
    package static func obeySignals() throws(ThreadRefusal) {
        _ = signal(SIGPIPE, SIG_DFL)
        _ = signal(SIGINT) { _ in
            let newline: StaticString = "\n"
            if isatty(2) == 1 { _ = unsafe write(2, newline.utf8Start, 1) }
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

internal import Glibc

/// The end of a process that was not to begin.
package enum ProcessEnd {
    /// Tells on standard error why, in a sentence, and ends the process with the status of a mistake
    /// in the configuration (`EX_CONFIG` of sysexits.h), without the report of a crash.
    package static func refuse(_ sentence: String) -> Never {
        let line = Array("Error: \(sentence)\n".utf8)
        _ = unsafe line.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
        exit(78)
    }
}

import Bytes
internal import CLinux

/// What tells the program that runs from another build of it.
package enum RunningBuild {
    /// The id that the linker has given the executable, in hexadecimal digits; `unknown` where it has none.
    package static let id: String = {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe clinux_build_id(&bytes, bytes.count)
        guard count > 0 else { return "unknown" }
        let digits = bytes.prefix(count).flatMap {
            [Hexadecimal.digit($0 >> 4), Hexadecimal.digit($0 & 15)]
        }
        return String(decoding: digits, as: UTF8.self)
    }()
}

internal import Glibc

extension String {
    /// The text of a C buffer, up to its first NUL.
    init(cText buffer: [CChar]) {
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        self.init(decoding: bytes, as: UTF8.self)
    }
}

/// A system call that failed: which, on what, and why.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The call.
    package let call: SystemCall
    /// Why it failed.
    package let code: Errno
    /// The object of the call, for instance an address or a path; empty where there is none.
    package let subject: String

    /// An error of this call.
    package init(_ call: SystemCall, _ code: Errno, subject: String = "") {
        self.call = call
        self.code = code
        self.subject = subject
    }

    /// `bind 127.0.0.1:80: Permission denied (13)`.
    public var description: String {
        subject.isEmpty ? "\(call.rawValue): \(code)" : "\(call.rawValue) \(subject): \(code)"
    }
}

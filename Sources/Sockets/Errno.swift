internal import Glibc

/// The number of a failed system call, `errno(3)`.
package struct Errno: RawRepresentable, Sendable, Hashable, BitwiseCopyable {
    /// The platform's number.
    package let rawValue: Int32

    /// The error of this number.
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// `EPERM`: not allowed, or a kind of descriptor that the call does not take.
    package static let notPermitted = Errno(rawValue: EPERM)
    /// `ENOENT`: no such file.
    package static let noSuchFile = Errno(rawValue: ENOENT)
    /// `EINTR`: interrupted by a signal; every wrapper of this module retries it.
    package static let interrupted = Errno(rawValue: EINTR)
    /// `EIO`: the device failed.
    package static let inputOutput = Errno(rawValue: EIO)
    /// `EAGAIN`: nothing to read, or no room to write, for now.
    package static let wouldBlock = Errno(rawValue: EAGAIN)
    /// `ENOMEM`: no kernel memory.
    package static let outOfMemory = Errno(rawValue: ENOMEM)
    /// `EACCES`: access refused, for instance a privileged port.
    package static let accessDenied = Errno(rawValue: EACCES)
    /// `EXDEV`: a path that leaves the directory it must stay beneath.
    package static let crossesBoundary = Errno(rawValue: EXDEV)
    /// `ENOTDIR`: a file where the path needs a directory.
    package static let notDirectory = Errno(rawValue: ENOTDIR)
    /// `EFBIG`: more bytes than a file may have.
    package static let tooLarge = Errno(rawValue: EFBIG)
    /// `EINVAL`: a bad argument.
    package static let invalidArgument = Errno(rawValue: EINVAL)
    /// `ENFILE`: the machine is out of descriptors.
    package static let tooManyFilesInSystem = Errno(rawValue: ENFILE)
    /// `EMFILE`: the process is out of descriptors.
    package static let tooManyFiles = Errno(rawValue: EMFILE)
    /// `EPIPE`: written after the connection's end.
    package static let brokenPipe = Errno(rawValue: EPIPE)
    /// `ENOSYS`: not known to this kernel.
    package static let notSupportedByKernel = Errno(rawValue: ENOSYS)
    /// `ELOOP`: a symbolic link where none may be followed.
    package static let symbolicLink = Errno(rawValue: ELOOP)
    /// `EADDRINUSE`: the address has a listener already.
    package static let addressInUse = Errno(rawValue: EADDRINUSE)
    /// `EADDRNOTAVAIL`: no such address on this machine.
    package static let addressNotAvailable = Errno(rawValue: EADDRNOTAVAIL)
    /// `ECONNABORTED`: the client went away before it was accepted.
    package static let connectionAborted = Errno(rawValue: ECONNABORTED)
    /// `ECONNRESET`: the peer reset the connection.
    package static let connectionReset = Errno(rawValue: ECONNRESET)
    /// `ENOBUFS`: no buffer space.
    package static let noBufferSpace = Errno(rawValue: ENOBUFS)
    /// `ETIMEDOUT`: the peer did not answer in time.
    package static let timedOut = Errno(rawValue: ETIMEDOUT)

    /// The number that the calling thread's last failed call left behind.
    static var current: Errno {
        Errno(rawValue: errno)
    }

    /// Only a mistake of ours can cause the error, which traps instead of being reported.
    var isMisuse: Bool {
        rawValue == EBADF || rawValue == EFAULT || rawValue == ENOTSOCK
    }
}

extension Errno: CustomStringConvertible {
    /// The platform's sentence and the number, `Address already in use (98)`.
    package var description: String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard unsafe strerror_r(rawValue, &buffer, buffer.count) == 0 else {
            return "error \(rawValue)"
        }
        return "\(String(cText: buffer)) (\(rawValue))"
    }
}

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

internal import CLinux
internal import Glibc

/// The result of one accept.
package enum AcceptResult: ~Copyable {
    /// A connection, non-blocking, and who it is from.
    case accepted(Descriptor, from: SocketAddress)
    /// Nobody is waiting.
    case wouldBlock
    /// No descriptor or memory is left for another connection (`EMFILE`, `ENFILE`, `ENOBUFS`,
    /// `ENOMEM`). The connection keeps waiting: pause accepting, and resume when one has closed.
    case exhausted(Errno)
    /// Refused for this one connection, by a firewall for instance: go on with the next.
    case refused(Errno)
}

/// A socket that listens for TCP connections. Every loop adds `descriptor` with
/// `[.read, .exclusive]`, so that one of them wakes for a connection.
///
/// What it accepts inherits `TCP_NODELAY` and `TCP_USER_TIMEOUT` from it, without a system call
/// a connection. Closed when the last reference ends.
package final class Listener: Sendable {
    /// The most connections that wait for being accepted.
    package static let backlog: Int32 = 4096

    /// The listening socket.
    package let descriptor: Descriptor
    /// The address that the socket listens at, with the port that the system chose for port 0.
    package let address: SocketAddress

    /// Listens on a host (an IPv4 or IPv6 literal, or a name such as `localhost`, which is
    /// looked up; the first address that can be bound, IPv4 before IPv6) and port (0: any free
    /// one). `::` takes IPv4 connections, too; any other IPv6 address does not.
    ///
    /// A port that has a listener is refused with `addressInUse`. `userTimeout` bounds how long
    /// sent data may stay unacknowledged before the kernel gives the connection up.
    package init(
        host: String, port: Int, userTimeout: Duration? = nil
    ) throws(SystemError) {
        guard let port = UInt16(exactly: port) else {
            throw SystemError(.bind, .invalidArgument, subject: "port \(port)")
        }
        var failure = SystemError(.resolve, .addressNotAvailable, subject: host)
        for candidate in try SocketAddress.resolve(host: host, port: port) {
            do throws(SystemError) {
                let socket = try Self.listen(at: candidate, userTimeout: userTimeout)
                address = try Self.boundAddress(of: socket)
                descriptor = socket
                return
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// The port.
    package var port: Int {
        Int(address.port)
    }

    /// Takes one waiting connection. Called up to a limit a turn, so that other loops get theirs.
    package func accept(_ system: SystemCalls) -> AcceptResult {
        let number = descriptor.rawValue
        var result = 0
        let peer = unsafe SocketAddress.written { address, length in
            result = system.perform(.accept) { _ in
                Int(unsafe clinux_accept4(number, address, &length, clinux_nonblock_cloexec))
            }
        }
        guard result < 0 else {
            let unknown = SocketAddress(host: IPAddress(high: 0, low: 0), port: 0)
            return .accepted(Descriptor(owning: Int32(result)), from: peer ?? unknown)
        }
        switch Errno(rawValue: Int32(-result)) {
        case .wouldBlock: return .wouldBlock
        case let code
        where [.tooManyFiles, .tooManyFilesInSystem, .noBufferSpace, .outOfMemory].contains(code):
            return .exhausted(code)
        case let code: return .refused(code)
        }
    }

    private static func listen(
        at address: SocketAddress, userTimeout: Duration?
    ) throws(SystemError) -> Descriptor {
        let system = SystemCalls()
        let subject = address.description
        let kind = Int32(SOCK_STREAM.rawValue) | clinux_nonblock_cloexec
        let descriptor = try system.open(.socket, subject: subject) {
            socket(address.family, kind, 0)
        }
        let number = descriptor.rawValue
        try system.setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        try system.setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        if !address.host.isV4 {
            let only: Int32 = address.host.isUnspecified ? 0 : 1
            try system.setOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, only)
        }
        if let userTimeout {
            let milliseconds = Int32(clamping: userTimeout.nanoseconds / 1_000_000)
            try system.setOption(
                descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, milliseconds)
        }
        try system.check(.bind, subject: subject) {
            unsafe address.withSocketAddress { Int(unsafe bind(number, $0, $1)) }
        }
        try system.check(.listen, subject: subject) { Int(Glibc.listen(number, backlog)) }
        return descriptor
    }

    private static func boundAddress(
        of descriptor: borrowing Descriptor
    ) throws(SystemError) -> SocketAddress {
        let number = descriptor.rawValue
        let address = try unsafe SocketAddress.written { address, length throws(SystemError) in
            try SystemCalls().check(.socketName) {
                Int(unsafe getsockname(number, address, &length))
            }
        }
        guard let address else { throw SystemError(.socketName, .addressNotAvailable) }
        return address
    }
}

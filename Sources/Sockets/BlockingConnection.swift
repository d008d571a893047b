internal import CLinux
internal import Glibc

/// A blocking TCP client. Closed when the last reference ends.
package final class BlockingConnection: ClientConnection {
    private let descriptor: Descriptor
    private var system: SystemCalls { SystemCalls() }

    /// Connects to a port of this machine.
    package init(port: Int, host: String = "127.0.0.1") throws(SystemError) {
        guard let port = UInt16(exactly: port),
            let address = try SocketAddress.resolve(host: host, port: port).first
        else { throw SystemError(.connect, .invalidArgument, subject: "\(host):\(port)") }
        let system = SystemCalls()
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let number = Int32(
            try system.check(.socket) { Int(socket(address.family, kind, 0)) })
        let connection = Descriptor(owning: number)
        try system.setOption(connection, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        try system.check(.connect, subject: address.description) {
            unsafe address.withSocketAddress { Int(unsafe connect(number, $0, $1)) }
        }
        descriptor = connection
    }

    package func send(_ bytes: [UInt8]) throws(SystemError) {
        var sent = 0
        while sent < bytes.count {
            switch system.send(bytes.span.extracting(sent...), to: descriptor) {
            case .bytes(let count): sent += count
            case .wouldBlock, .closed: throw SystemError(.send, .timedOut)
            case .failed(let code): throw SystemError(.send, code)
            }
        }
    }

    package func receive(limit: Int, timeout: Duration) throws(SystemError) -> [UInt8] {
        try setTimeout(timeout)
        var result = IOResult.closed
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            result = unsafe system.receive(
                from: descriptor, into: UnsafeMutableRawBufferPointer(buffer))
            if case .bytes(let count) = result { filled = count }
        }
        switch result {
        case .bytes, .closed: return bytes
        case .wouldBlock: throw SystemError(.receive, .timedOut)
        case .failed(let code): throw SystemError(.receive, code)
        }
    }

    package func shutdownWrite() throws(SystemError) {
        try system.shutdownWrite(descriptor)
    }

    package func limitReceiveBuffer(to byteCount: Int) throws(SystemError) {
        try system.setOption(descriptor, SOL_SOCKET, SO_RCVBUF, Int32(clamping: byteCount))
    }

    package func resetOnClose() throws(SystemError) {
        let number = descriptor.rawValue
        var value = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout<linger>.size)
        try system.check(.setOption) {
            Int(unsafe setsockopt(number, SOL_SOCKET, SO_LINGER, &value, size))
        }
    }

    /// The same connection for a loop, non-blocking from now on; this object is then let go of.
    package func forLoop() throws(SystemError) -> Descriptor {
        let number = descriptor.rawValue
        let other = try system.check(.setOption) { Int(fcntl(number, F_DUPFD_CLOEXEC, 0)) }
        let owned = Descriptor(owning: Int32(other))
        try system.check(.setOption) { Int(fcntl(number, F_SETFL, O_RDWR | O_NONBLOCK)) }
        return owned
    }

    private func setTimeout(_ timeout: Duration) throws(SystemError) {
        let number = descriptor.rawValue
        let microseconds = max(1, timeout.nanoseconds / 1000)
        var value = timeval(
            tv_sec: Int(microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
        let size = socklen_t(MemoryLayout<timeval>.size)
        try system.check(.setOption) {
            Int(unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &value, size))
        }
    }
}

internal import CLinux
internal import Glibc

/// A TCP client whose calls block: for tools and tests, not for a loop's thread. One thread may
/// send while another receives. Closed when the last reference ends.
package final class BlockingConnection: Sendable {
    private let descriptor: Descriptor
    private var system: SystemCalls { SystemCalls() }

    /// Connects to a port of this machine.
    package init(port: Int, host: String = "127.0.0.1") throws(SystemError) {
        guard let port = UInt16(exactly: port),
            let address = try SocketAddress.resolve(host: host, port: port).first
        else { throw SystemError(.connect, .invalidArgument, subject: "\(host):\(port)") }
        let system = SystemCalls()
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let connection = try system.open(.socket) { socket(address.family, kind, 0) }
        let number = connection.rawValue
        try system.setOption(connection, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        try system.check(.connect, subject: address.description) {
            unsafe address.withSocketAddress { Int(unsafe connect(number, $0, $1)) }
        }
        descriptor = connection
    }

    /// Sends all the bytes, waiting for room.
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

    package func send(_ text: String) throws(SystemError) {
        try send([UInt8](text.utf8))
    }

    /// Receives what comes next, at most `limit` bytes; empty at the end of the connection.
    /// Throws `timedOut` when nothing comes within `timeout`.
    package func receive(
        limit: Int = 65536, timeout: Duration = .seconds(10)
    ) throws(SystemError) -> [UInt8] {
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

    /// Receives until what has come satisfies `isComplete`, or the connection ends.
    /// Throws `timedOut` when one receive brings nothing within `timeout`.
    package func receive(
        timeout: Duration = .seconds(10), until isComplete: ([UInt8]) -> Bool
    ) throws(SystemError) -> [UInt8] {
        var all: [UInt8] = []
        while !isComplete(all) {
            let some = try receive(timeout: timeout)
            if some.isEmpty { break }
            all += some
        }
        return all
    }

    /// Receives until the peer ends the connection.
    package func receiveAll(timeout: Duration = .seconds(10)) throws(SystemError) -> [UInt8] {
        try receive(timeout: timeout) { _ in false }
    }

    /// Ends the sending side; receiving goes on.
    package func shutdownWrite() throws(SystemError) {
        try system.shutdownWrite(descriptor)
    }

    /// Bounds the bytes on their way to this client, so that a slow reader blocks its sender soon.
    package func limitReceiveBuffer(to byteCount: Int) throws(SystemError) {
        try system.setOption(descriptor, SOL_SOCKET, SO_RCVBUF, Int32(clamping: byteCount))
    }

    /// Makes closing reset the connection instead of ending it in order.
    package func resetOnClose() throws(SystemError) {
        try system.setOption(
            descriptor, SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    }

    /// The same connection for a loop, non-blocking from now on; this object is then let go of.
    package func forLoop() throws(SystemError) -> Descriptor {
        let number = descriptor.rawValue
        let owned = try system.open(.setOption) { fcntl(number, F_DUPFD_CLOEXEC, 0) }
        try system.check(.setOption) { Int(fcntl(number, F_SETFL, O_RDWR | O_NONBLOCK)) }
        return owned
    }

    private func setTimeout(_ timeout: Duration) throws(SystemError) {
        let microseconds = max(1, timeout.nanoseconds / 1000)
        let time = timeval(
            tv_sec: Int(microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
        try system.setOption(descriptor, SOL_SOCKET, SO_RCVTIMEO, time)
    }
}

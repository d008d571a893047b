import Foundation
import Glibc

/// A server that does exactly what a test tells it: one thread a connection, blocking calls.
final class RawServer: Sendable {
    let port: Int
    private let descriptor: Int32
    private let hasThread: Bool

    /// `script` is run for each connection, in the order they come, counted from 0; the
    /// connection closes when it returns.
    init(backlog: Int32 = 64, _ script: (@Sendable (RawConnection, Int) -> Void)?) {
        (descriptor, port) = RawServer.listen(backlog: backlog)
        hasThread = script != nil
        guard let script else { return }
        Thread.detachNewThread { [descriptor] in
            var index = 0
            while true {
                let accepted = Glibc.accept(descriptor, nil, nil)
                guard accepted >= 0 else {
                    close(descriptor)
                    return
                }
                let number = index
                Thread.detachNewThread {
                    let connection = RawConnection(descriptor: accepted)
                    script(connection, number)
                    close(accepted)
                }
                index += 1
            }
        }
    }

    deinit {
        // The thread closes what it accepts from: another socket could have the number otherwise
        // before the thread comes to its next call.
        shutdown(descriptor, Int32(SHUT_RDWR))
        if !hasThread { close(descriptor) }
    }

    func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// A listening socket on a free port of the loopback address.
    static func listen(backlog: Int32) -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = unsafe bind(descriptor, pointer, size)
                _ = Glibc.listen(descriptor, backlog)
                _ = unsafe getsockname(descriptor, pointer, &size)
            }
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// A connection that is begun and not waited for.
    static func beginConnecting(to port: Int) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_INET, kind, 0)
        var address = loopback(port: port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = unsafe connect(descriptor, pointer, size)
            }
        }
        return descriptor
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}

/// One accepted connection.
struct RawConnection: Sendable {
    let descriptor: Int32

    /// The next request's head and as much of its body as Content-Length says; nil at the end.
    func receiveRequest() -> String? {
        var text = ""
        while !text.contains("\r\n\r\n") || text.missingBodyCount > 0 {
            guard let more = receive() else { return nil }
            text += more
        }
        return text
    }

    func send(_ text: String) { send([UInt8](text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.send(
                    descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
    }

    /// Returns when the peer has closed or reset the connection.
    func waitForClose() {
        while receive() != nil {}
    }

    private func receive() -> String? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe recv(descriptor, bytes.baseAddress, bytes.count, 0)
        }
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}

extension String {
    /// How many bytes of the body are still to come, by the head's Content-Length.
    fileprivate var missingBodyCount: Int {
        guard let end = range(of: "\r\n\r\n") else { return 0 }
        let lines = self[..<end.lowerBound].split(separator: "\r\n")
        let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).trimmingPrefix(" ")) }
        return (length ?? 0) - self[end.upperBound...].utf8.count
    }
}

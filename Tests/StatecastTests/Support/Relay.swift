import Glibc
import Sockets
import StatecastTesting

/// A forwarder on this machine that adds nothing to what it passes on, one connection after another; or a
/// server that answers what a test says.
final class Relay: Sendable {
    let port: Int
    private let number: Int32

    /// Listens on a free port of the loopback address.
    init() throws {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(number, $0, size) == 0 && listen(number, 16) == 0
                    && getsockname(number, $0, &size) == 0
            }
        }
        guard isBound else { throw SystemError(.bind, .addressInUse) }
        self.number = number
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(number) }

    /// Has one request come, answers it so, and ends its connection.
    @discardableResult
    func answer(_ text: String, before: () -> Void = {}) -> String {
        let client = accept(number, nil, nil)
        defer { close(client) }
        var request = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe read(client, &request, request.count)
        before()
        let answer = Array(text.utf8)
        _ = unsafe send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
        return String(decoding: request.prefix(max(0, count)), as: UTF8.self)
    }

    /// Passes one request on to a port, and what comes back from there until it ends.
    func pass(to port: Int) throws {
        let client = accept(number, nil, nil)
        defer { close(client) }
        var request = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe read(client, &request, request.count)
        let server = try BlockingConnection(port: port)
        try server.send(Array(request.prefix(max(0, count))))
        let answer = try server.receiveAll(timeout: .seconds(30))
        var sent = 0
        while sent < answer.count {
            let part = Array(answer[sent...])
            let written = unsafe write(client, part, part.count)
            guard written > 0 else { return }
            sent += written
        }
    }
}

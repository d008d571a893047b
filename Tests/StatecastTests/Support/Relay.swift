import Glibc
import HTTPMessages
import HTTPServer
import Sockets
import StatecastTesting

@testable import Statecast

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

    /// Has one request of another server come, answers it so, and ends its connection. Those that only ask
    /// whether somebody is there get no answer.
    ///
    /// - Parameter awaitsEnd: nothing is answered before the other server has ended the connection.
    func answer(_ text: String, awaitsEnd: Bool = false, before: () -> Void = {}) {
        let client = accept(number, nil, nil)
        defer { close(client) }
        send(greeting(to: receive(from: client)), to: client)
        let request = receive(from: client)
        guard !request.starts(with: "HEAD /livez ".utf8), !request.isEmpty else {
            return answer(text, awaitsEnd: awaitsEnd, before: before)
        }
        before()
        while awaitsEnd, !receive(from: client).isEmpty {}
        send(Array(text.utf8), to: client)
    }

    /// The same by a problem.
    func answer(_ status: Int, problem code: String) {
        let body = #"{"type":"/problems/\#(code)"}"#
        answer(
            "HTTP/1.1 \(status) No\r\nConnection: close\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    /// What one who has the key says first.
    private func greeting(to message: [UInt8]) -> [UInt8] {
        var parser = RequestParser()
        guard (try? parser.parse(message.span)) == true else { return [] }
        let address = SocketAddress(host: IPAddress(v4: 0x7F00_0001), port: UInt16(port))
        let greeting = ClusterKeys(TwoServers.key)?.greeting(
            to: parser.head, in: message.span,
            at: PeerPlace(receiver: address, nonce: 1, serial: 1))
        let field = greeting.map { "\($0.field): \($0.value)\r\n" } ?? ""
        return Array("HTTP/1.1 407 Hello\r\n\(field)Content-Length: 0\r\n\r\n".utf8)
    }

    private func receive(from client: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe read(client, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    private func send(_ bytes: [UInt8], to client: Int32) {
        _ = unsafe Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Passes one request on to a port, and what comes back from there until it ends.
    func pass(to port: Int) throws {
        let client = accept(number, nil, nil)
        defer { close(client) }
        let server = try BlockingConnection(port: port)
        try server.send(receive(from: client))
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

import FaultPlans
import Glibc
@testable import Sockets
import Testing

@Suite struct ListenerTests {
    @Test(arguments: ["127.0.0.1", "::1", "localhost", "[::1]", "::", "0.0.0.0"])
    func `port 0 becomes the port that clients reach`(host: String) throws {
        let listener = try Listener(host: host, port: 0)
        #expect(listener.port > 0)
        let target = listener.address.host.isV4 ? "127.0.0.1" : "::1"
        let client = try BlockingConnection(port: listener.port, host: target)
        guard case .accepted(let descriptor, let peer) = listener.accept(SystemCalls()) else {
            Issue.record("nobody was accepted")
            return
        }
        #expect(peer.host.isLoopback)
        #expect(peer.port > 0)
        #expect(SystemCalls().send([7].span, to: descriptor) == .bytes(1))
        #expect(try client.receive() == [7])
        guard case .wouldBlock = listener.accept(SystemCalls()) else {
            Issue.record("somebody else was accepted")
            return
        }
    }

    @Test func `a client of IPv4 reaches the unspecified address of IPv6 and keeps its own`() throws
    {
        let listener = try Listener(host: "::", port: 0)
        let client = try BlockingConnection(port: listener.port)
        guard case .accepted(_, let peer) = listener.accept(SystemCalls()) else {
            Issue.record("nobody was accepted")
            return
        }
        #expect(peer.host == IPAddress(v4: 0x7F00_0001))
        _ = consume client
    }

    @Test func `a port that has a listener is refused, not shared`() throws {
        let first = try Listener(host: "127.0.0.1", port: 0)
        let error = #expect(throws: SystemError.self) {
            try Listener(host: "127.0.0.1", port: first.port)
        }
        #expect(error?.code == .addressInUse)
        #expect(error?.description.contains("127.0.0.1:\(first.port)") == true)
    }

    @Test(arguments: [-1, 65_536])
    func `a port outside sixteen bits is refused`(port: Int) {
        #expect(throws: SystemError(.bind, .invalidArgument, subject: "port \(port)")) {
            try Listener(host: "127.0.0.1", port: port)
        }
    }

    @Test func `accepted connections inherit no-delay and the user timeout`() throws {
        let listener = try Listener(host: "127.0.0.1", port: 0, userTimeout: .seconds(21))
        let client = try BlockingConnection(port: listener.port)
        guard case .accepted(let descriptor, _) = listener.accept(SystemCalls()) else {
            Issue.record("nobody was accepted")
            return
        }
        let tcp = Int32(IPPROTO_TCP)
        #expect(try SystemCalls().option(descriptor, tcp, TCP_NODELAY) == 1)
        #expect(try SystemCalls().option(descriptor, tcp, 18) == 21_000)
        _ = consume client
    }

    @Test(arguments: [Errno.tooManyFiles, .tooManyFilesInSystem, .noBufferSpace, .outOfMemory])
    func `want of descriptors or memory is told, and the client keeps waiting`(
        code: Errno
    ) throws {
        let listener = try Listener(host: "127.0.0.1", port: 0)
        let client = try BlockingConnection(port: listener.port)
        let system = SystemCalls(faults: FaultPlan(.failure(code), at: 1, of: .accept).next)
        guard case .exhausted(code) = listener.accept(system) else {
            Issue.record("exhaustion was not told")
            return
        }
        guard case .accepted = listener.accept(system) else {
            Issue.record("the client was dropped")
            return
        }
        _ = consume client
    }
}

extension SystemCalls {
    /// Reads one socket option of the size of an `int`.
    fileprivate func option(
        _ descriptor: borrowing Descriptor, _ level: Int32, _ name: Int32
    ) throws(SystemError) -> Int32 {
        let number = descriptor.rawValue
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        try check(.setOption) { Int(unsafe getsockopt(number, level, name, &value, &size)) }
        return value
    }
}

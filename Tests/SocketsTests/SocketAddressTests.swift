@testable import Sockets
import Testing

@Suite struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:80"), ("0.0.0.0", "0.0.0.0:80"), ("::1", "[::1]:80"),
        ("[::1]", "[::1]:80"), ("::", "[::]:80"), ("2001:DB8:0:0::1", "[2001:db8::1]:80"),
        ("::ffff:10.1.2.3", "10.1.2.3:80"), ("localhost", "127.0.0.1:80"),
    ])
    func `a host is read and shown in its shortest form`(host: String, shown: String) throws {
        let found = try SocketAddress.resolve(host: host, port: 80)
        #expect(found.first?.description == shown)
    }

    @Test(arguments: ["", "256.1.1.1", "[::1", "a b", "no-such-host.invalid"])
    func `what is no host is refused, naming it`(host: String) {
        let error = #expect(throws: SystemError.self) {
            try SocketAddress.resolve(host: host, port: 1)
        }
        #expect(error?.call == .resolve)
        #expect(error?.subject == host)
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("2001:DB8::1", "2001:db8::1"), ("[::1]", "::1"),
        ("::ffff:1.2.3.4", "1.2.3.4"),
    ])
    func `a literal is read without asking the network`(text: String, shown: String) {
        #expect(IPAddress(parsing: text)?.description == shown)
    }

    @Test(arguments: ["", "localhost", "[127.0.0.1]", "1.2.3", "1.2.3.4.5", "0x7f.0.0.1", "::1%lo"])
    func `a name is no literal`(text: String) {
        #expect(IPAddress(parsing: text) == nil)
    }

    @Test func `one client owns a network`() throws {
        let one = try #require(IPAddress(parsing: "2001:db8:0:1::1"))
        #expect(one.clientNetwork == IPAddress(parsing: "2001:db8:0:1:ffff::2")?.clientNetwork)
        #expect(one.clientNetwork != IPAddress(parsing: "2001:db8:0:2::1")?.clientNetwork)
        #expect(
            IPAddress(v4: 0x0A00_0001).clientNetwork == IPAddress(v4: 0x0A00_00FE).clientNetwork)
        #expect(
            IPAddress(v4: 0x0A00_0001).clientNetwork != IPAddress(v4: 0x0A00_0101).clientNetwork)
    }

    @Test func `loopback and unspecified addresses are known in both families`() {
        #expect(IPAddress(v4: 0x7F00_0001).isLoopback)
        #expect(IPAddress(v4: 0x7F12_3456).isLoopback)
        #expect(!IPAddress(v4: 0x8000_0001).isLoopback)
        #expect(IPAddress(high: 0, low: 1).isLoopback)
        #expect(!IPAddress(high: 1, low: 1).isLoopback)
        #expect(IPAddress(v4: 0).isUnspecified)
        #expect(IPAddress(high: 0, low: 0).isUnspecified)
        #expect(!IPAddress(high: 0, low: 0).isV4)
    }
}

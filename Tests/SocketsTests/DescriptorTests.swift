@testable import Sockets
import Testing

@Suite struct DescriptorTests {
    /// Whether a number is open, by asking the kernel for a copy of it.
    private func isOpen(_ number: Int32) -> Bool {
        (try? SystemCalls().files.openDirectory("/proc/self/fd/\(number)")) != nil
    }

    @Test func `a descriptor is closed when its owner ends`() throws {
        let listener = try Listener(host: "127.0.0.1", port: 0)
        let client = try BlockingConnection(port: listener.port)
        do {
            guard case .accepted(let descriptor, _) = listener.accept(SystemCalls()) else {
                Issue.record("nobody was accepted")
                return
            }
            #expect(SystemCalls().send([1].span, to: descriptor) == .bytes(1))
        }
        #expect(try client.receiveAll() == [1])
    }

    @Test func `taking leaves a descriptor that is not open and closes nothing`() throws {
        var first = try SystemCalls().files.openDirectory("/")
        let number = first.rawValue
        var second = first.take()
        #expect([first.rawValue, second.rawValue] == [-1, number])
        first.close()
        #expect(isOpen(number))
        second.close()
        second.close()
        #expect(second.rawValue == -1)
    }

    @Test func `the limit of descriptors is raised and never lowered`() throws {
        let before = try DescriptorLimit.raise(to: 0)
        #expect(try DescriptorLimit.raise(to: before) == before)
        #expect(try DescriptorLimit.raise(to: 256) == before)
    }
}

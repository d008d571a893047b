/// The client's side of a connection in memory. Closed when the last reference ends.
package final class MemoryConnection: ClientConnection {
    private let link: MemoryLink
    private let isResetting = Lock(false)

    init(_ link: MemoryLink) {
        self.link = link
    }

    deinit {
        link.closeClient(resetting: isResetting.withLock { $0 })
    }

    package func send(_ bytes: [UInt8]) throws(SystemError) {
        try link.send(bytes)
    }

    package func receive(limit: Int, timeout: Duration) throws(SystemError) -> [UInt8] {
        try link.receive(limit: limit, until: Instant.read().advanced(by: timeout))
    }

    package func shutdownWrite() {
        link.endClient()
    }

    package func limitReceiveBuffer(to byteCount: Int) {
        link.limitClient(to: byteCount)
    }

    package func resetOnClose() {
        isResetting.withLock { $0 = true }
    }
}

/// The client's side of a connection, whose calls block: for tools and tests, not for a loop's
/// thread. One thread may send while another receives.
package protocol ClientConnection: AnyObject, Sendable {
    /// Sends all the bytes, waiting for room.
    func send(_ bytes: [UInt8]) throws(SystemError)

    /// Receives what comes next, at most `limit` bytes; empty at the end of the connection.
    /// Throws `timedOut` when nothing comes within `timeout`.
    func receive(limit: Int, timeout: Duration) throws(SystemError) -> [UInt8]

    /// Ends the sending side; receiving goes on.
    func shutdownWrite() throws(SystemError)

    /// Bounds the bytes on their way to this client, so that a slow reader blocks its sender soon.
    func limitReceiveBuffer(to byteCount: Int) throws(SystemError)

    /// Makes closing reset the connection instead of ending it in order.
    func resetOnClose() throws(SystemError)
}

extension ClientConnection {
    /// Sends the text's UTF-8.
    package func send(_ text: String) throws(SystemError) {
        try send([UInt8](text.utf8))
    }

    /// Receives what comes next, at most `limit` bytes, within ten seconds.
    package func receive(limit: Int) throws(SystemError) -> [UInt8] {
        try receive(limit: limit, timeout: .seconds(10))
    }

    /// Receives what comes next, at most 64 KiB; empty at the end of the connection.
    package func receive(timeout: Duration = .seconds(10)) throws(SystemError) -> [UInt8] {
        try receive(limit: 65536, timeout: timeout)
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
}

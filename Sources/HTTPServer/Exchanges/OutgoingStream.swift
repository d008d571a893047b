public import Sockets

/// The sending side of a stream: a handle to copy and keep, on the stream's loop only. When the
/// stream is over it does nothing.
public struct OutgoingStream {
    let connection: Connection?
    let serial: UInt64

    /// Frames can be sent.
    public var isOpen: Bool {
        connection?.exchanges.machine.isStreaming(serial) ?? false
    }

    /// Frames are compressed on their way.
    public var isCompressed: Bool {
        isOpen && connection?.exchanges.machine.isCompressed ?? false
    }

    /// The count of bytes that wait: sent in this turn, or without room in the socket.
    public var pendingByteCount: Int {
        isOpen ? connection?.exchanges.unsentByteCount ?? 0 : 0
    }

    /// The client is slower than the stream: `streamDrained` tells when it has caught up. A source
    /// that can skip frames, skips them until then.
    public var isBlocked: Bool {
        isOpen && connection?.exchanges.machine.isBlocked ?? false
    }

    /// Sends a frame at the end of the loop's turn, together with the turn's other ones. The
    /// bytes are shared, not copied. Bounding what waits is the sender's duty.
    public func send(_ frame: StreamFrame, on loop: isolated EventLoop) {
        guard let connection, connection.exchanges.machine.isStreaming(serial) else { return }
        connection.exchanges.send(frame, connection.key, in: connection.context)
    }

    /// Has the source's `streamDrained` called once all that waits is sent, even if that is at the
    /// end of this turn: for a source that skips because `pendingByteCount` is enough for it.
    public func notifyWhenDrained() {
        guard pendingByteCount > 0 else { return }
        connection?.exchanges.machine.sourceAsks()
    }

    /// Ends the stream after what was sent. The source's `streamClosed` follows at the end of
    /// the turn.
    public func finish(on loop: isolated EventLoop) {
        guard let connection, connection.exchanges.machine.isStreaming(serial) else { return }
        connection.exchanges.finishStream(connection.key, connection.context.output)
    }
}

package import Sockets

/// The sending side of a stream: a handle to copy and keep, on the stream's loop only. When the
/// stream is over it does nothing.
package struct OutgoingStream {
    let connection: Connection?
    let serial: UInt64

    /// Whether something can be sent.
    package var isOpen: Bool {
        connection?.isStreaming(serial) ?? false
    }

    /// Whether what is sent is compressed on its way.
    package var isCompressed: Bool {
        guard isOpen, let connection, case .coded = connection.occupant else { return false }
        return true
    }

    /// How many bytes wait: sent in this turn, or without room in the socket.
    package var pendingByteCount: Int {
        isOpen ? connection?.pendingByteCount ?? 0 : 0
    }

    /// Whether the client is slower than what is sent: `streamDrained` tells when it has caught
    /// up. A source that can skip, skips until then.
    package var isBlocked: Bool {
        isOpen && connection?.state.flags.contains(.isBlocked) ?? false
    }

    /// Sends a frame at the end of the loop's turn, together with the turn's other ones. The
    /// bytes are shared, not copied. Bounding what waits is the sender's duty.
    package func send(_ frame: StreamFrame, on loop: isolated EventLoop) {
        guard let connection, connection.isStreaming(serial) else { return }
        connection.sendToStream(frame)
    }

    /// Has the source's `streamDrained` called once all that waits is sent, even if that is at the
    /// end of this turn: for a source that skips because `pendingByteCount` is enough for it.
    package func notifyWhenDrained() {
        guard let connection, connection.isStreaming(serial), pendingByteCount > 0 else { return }
        connection.state.flags.insert(.awaitsRoom)
    }

    /// Ends the stream after what was sent. The source's `streamClosed` follows at the end of
    /// the turn.
    package func finish(on loop: isolated EventLoop) {
        guard let connection, connection.isStreaming(serial) else { return }
        connection.finishStream(on: loop)
    }
}

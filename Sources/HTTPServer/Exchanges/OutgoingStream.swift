package import Sockets

/// The sending side of a stream: a handle to copy and keep, on the stream's loop only. When the
/// stream is over it does nothing.
package struct OutgoingStream {
    /// Nil for a stream that has not begun. A connection has one stream in its life, and ends with it.
    let connection: Connection?

    /// Frames can be sent.
    package var isOpen: Bool {
        connection?.exchanges.machine.isStreaming ?? false
    }

    /// Frames are compressed on their way.
    package var isCompressed: Bool {
        isOpen && connection?.exchanges.machine.isCompressed ?? false
    }

    /// The client is slower than the stream: `streamDrained` tells when it has caught up.
    package var isBlocked: Bool {
        isOpen && connection?.exchanges.machine.isBlocked ?? false
    }

    /// Sends a frame at the end of the loop's turn, together with the turn's other ones; right after
    /// the stream's head, where that was just written. The bytes of large ones are shared, not
    /// copied. Bounding what waits is the sender's duty.
    package func send(_ frame: StreamFrame, on loop: isolated EventLoop) {
        guard let connection, connection.exchanges.machine.isStreaming else { return }
        connection.exchanges.send(frame, connection.key, in: connection.context)
    }

    /// The fate of a frame that was offered.
    package enum Offer {
        /// It is sent.
        case taken
        /// It is skipped: the source's `streamDrained` is called once all that waits is sent, even
        /// if that is at the end of this turn.
        case skipped
        /// The stream is over.
        case over
    }

    /// Sends a frame as `send` does, unless the client is slower than the stream, or more than
    /// `most` bytes wait: for a source that can skip frames.
    package func offer(
        waitingBehind most: Int, _ frame: () -> StreamFrame, on loop: isolated EventLoop
    ) -> Offer {
        connection?.offer(waitingBehind: most, frame) ?? .over
    }

    /// Ends the stream after what was sent. The source's `streamClosed` follows at the end of
    /// the turn.
    package func finish(on loop: isolated EventLoop) {
        guard let connection, connection.exchanges.machine.isStreaming else { return }
        connection.exchanges.finishStream(connection.key, connection.context.output)
    }
}

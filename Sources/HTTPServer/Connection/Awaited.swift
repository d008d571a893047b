package import Sockets

/// The thing that the present request waits for, besides its handler.
enum Awaited {
    case nothing
    /// The observer hears when the client goes before its answer.
    case observer(any ExchangeObserver)
    /// The answer is a stream.
    case stream(Stream)
    /// The rest of the answer is a file.
    case file(FileTransfer)
    /// The loop of this index answers the request.
    case loop(Int32)

    /// The stream, if the answer is one.
    var stream: Stream? {
        if case .stream(let stream) = self { stream } else { nil }
    }

    /// The connection is closed, and the exchange with it.
    func closed(on loop: isolated EventLoop) {
        switch self {
        case .observer(let observer): observer.exchangeClosed(on: loop)
        case .stream(let stream): stream.source.streamClosed(on: loop)
        case .nothing, .file, .loop: break
        }
    }

    /// The server shuts down.
    func draining(on loop: isolated EventLoop) {
        if case .observer(let observer) = self { observer.exchangeDraining(on: loop) }
    }
}

/// The part of an answer that follows the bytes of its writer.
enum AnswerRest {
    case nothing
    /// A large body, shared with other answers.
    case body(SharedBytes)
    /// A part of a file.
    case file(FileTransfer)
}

/// A part of a file on its way into a socket, without passing through the process.
final class FileTransfer {
    private var file: Descriptor
    private var offset: Int64
    private var remaining: Int64

    /// So much goes out in one turn at most, so that other connections have theirs.
    private static let byteCountPerTurn: Int64 = 4 * 1024 * 1024

    init(_ file: consuming Descriptor, range: Range<Int64>) {
        precondition(range.lowerBound >= 0, "A file begins at 0.")
        self.file = file
        offset = range.lowerBound
        remaining = Int64(range.count)
    }

    /// The part that is left to send.
    var range: Range<Int64> { offset..<offset + remaining }

    /// Gives the file to another owner.
    func takeFile() -> Descriptor {
        file.take()
    }

    /// The outcome of a turn of sending.
    enum Progress {
        /// All is sent.
        case complete
        /// There is no room, or others have their turn now.
        case waiting(moved: Int)
        /// The connection is lost, or the file has become shorter.
        case failed
    }

    /// Sends as much of the file as there is room for.
    func send(to socket: borrowing Descriptor, _ system: SystemCalls) -> Progress {
        var moved: Int64 = 0
        while remaining > 0, moved < Self.byteCountPerTurn {
            let count = Int(min(remaining, Self.byteCountPerTurn - moved))
            switch system.sendFile(file, offset: &offset, count: count, to: socket) {
            case .bytes(let count):
                remaining -= Int64(count)
                moved += Int64(count)
            case .wouldBlock: return .waiting(moved: Int(moved))
            case .closed, .failed: return .failed
            }
        }
        return remaining == 0 ? .complete : .waiting(moved: Int(moved))
    }
}

/// Watches a request that is held: a long-poll, or one that waits for a result.
package protocol ExchangeObserver: AnyObject {
    /// The client has gone before its answer; the exchange is over. Not called once answered.
    func exchangeClosed(on loop: isolated EventLoop)

    /// The server is shutting down: answer now with what there is, or not at all.
    func exchangeDraining(on loop: isolated EventLoop)
}

extension ExchangeObserver {
    /// Waits on, up to the end of the drain.
    package func exchangeDraining(on loop: isolated EventLoop) {}
}

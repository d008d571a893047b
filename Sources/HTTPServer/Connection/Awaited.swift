package import Sockets
internal import Synchronization

/// The thing that the present request waits for, besides its handler.
enum Awaited {
    case nothing
    /// The observer hears when the client goes before its answer.
    case observer(any ExchangeObserver)
    /// The answer is a stream of this source.
    case stream(any StreamSource)
    /// The answer is a stream that is compressed.
    case codedStream(StreamCoding)
    /// The rest of the answer is a file.
    case file(FileTransfer)
    /// The loop of this index answers the request.
    case loop(Int32)

    /// The object that feeds the stream, if the answer is one.
    var source: (any StreamSource)? {
        switch self {
        case .stream(let source): source
        case .codedStream(let coding): coding.source
        case .nothing, .observer, .file, .loop: nil
        }
    }

    var coding: StreamCoding? {
        if case .codedStream(let coding) = self { coding } else { nil }
    }

    /// Nothing is waited for any more; returns what was.
    mutating func take() -> Awaited {
        defer { self = .nothing }
        return self
    }

    /// The connection is closed, and the exchange with it.
    func closed(on loop: isolated EventLoop) {
        if case .observer(let observer) = self { return observer.exchangeClosed(on: loop) }
        source?.streamClosed(on: loop)
    }
}

/// The part of an answer that follows the bytes of its writer.
package enum AnswerRest: Sendable {
    case nothing
    /// A large body, shared with other answers.
    case body(SharedBytes)
    /// A part of a file.
    case file(FileTransfer)
}

/// A part of a file on its way into a socket, without passing through the process; perhaps from the
/// loop that has opened it to the one that sends it.
package final class FileTransfer: Sendable {
    private struct Part: ~Copyable {
        let file: Descriptor
        var offset: Int64
        var remaining: Int64
    }

    private let part: Mutex<Part>

    /// So much goes out in one turn at most, so that other connections have theirs.
    private static let byteCountPerTurn: Int64 = 4 * 1024 * 1024

    init(_ file: consuming Descriptor, range: Range<Int64>) {
        precondition(range.lowerBound >= 0, "A file begins at 0.")
        part = Mutex(Part(file: file, offset: range.lowerBound, remaining: Int64(range.count)))
    }

    /// Sends as much of the file as there is room for. It has failed where the connection is lost,
    /// or the file has become shorter; and is blocked, too, where others have their turn now.
    func send(
        to socket: borrowing Descriptor, _ system: SystemCalls
    ) -> (result: FlushResult, moved: Int) {
        part.withLock { part in
            var moved = 0
            while part.remaining > 0, moved < Self.byteCountPerTurn {
                let count = Int(min(part.remaining, Self.byteCountPerTurn - Int64(moved)))
                switch system.sendFile(part.file, offset: &part.offset, count: count, to: socket) {
                case .bytes(let count):
                    part.remaining -= Int64(count)
                    moved += count
                case .wouldBlock: return (.blocked, moved)
                case .closed: return (.failed(.inputOutput), moved)
                case .failed(let code): return (.failed(code), moved)
                }
            }
            return (part.remaining == 0 ? .drained : .blocked, moved)
        }
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

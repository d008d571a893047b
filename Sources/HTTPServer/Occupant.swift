internal import Sockets

/// Who must be told what becomes of a connection's present exchange.
enum Occupant {
    case none
    case observer(any ExchangeObserver)
    case stream(any StreamSource)
    case coded(StreamCoding)
    case file(FileTransfer)
    /// On its way to the loop of this index.
    case forward(target: Int32)

    /// Who feeds the stream, if this is one.
    var source: (any StreamSource)? {
        switch self {
        case .stream(let source): source
        case .coded(let coding): coding.source
        case .none, .observer, .file, .forward: nil
        }
    }

    /// How many bytes of a stream wait before they are compressed.
    var uncodedByteCount: Int {
        if case .coded(let coding) = self { coding.pendingByteCount } else { 0 }
    }

    /// The connection is closed, and the exchange with it.
    func connectionClosed(_ connection: Connection, on loop: isolated EventLoop) {
        switch self {
        case .none, .file: break
        case .observer(let observer): observer.exchangeClosed(on: loop)
        case .stream, .coded: source?.streamClosed(on: loop)
        case .forward(let target): connection.server.cancel(connection.forwardKey(to: target))
        }
    }
}

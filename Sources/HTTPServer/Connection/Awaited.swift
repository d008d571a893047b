internal import Sockets

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

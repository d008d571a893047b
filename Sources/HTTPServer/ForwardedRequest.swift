internal import HTTPMessages
internal import Sockets
internal import Synchronization

/// Names a request that was forwarded from one loop to another.
struct ForwardKey: Sendable, Hashable {
    /// The loop that answers.
    var target: Int32
    /// The loop that holds the connection.
    var origin: Int32
    /// The connection there.
    var connection: ConnectionKey
    /// Which of its requests.
    var serial: UInt64
}

/// A whole request on its way to another loop.
struct ForwardedRequest: Sendable {
    let key: ForwardKey
    let head: RequestHead
    /// Head and body.
    let message: [UInt8]
    let body: Range<Int>
    let framing: AnswerFraming
    let address: IPAddress
}

/// A request of another loop's connection, while this loop answers it.
final class RemoteRequest {
    let key: ForwardKey
    let address: IPAddress
    private let framing: AnswerFraming
    private let server: ServerLoop
    private var observer: (any ExchangeObserver)?
    private(set) var awaitsAnswer = true

    init(_ request: ForwardedRequest, server: ServerLoop) {
        key = request.key
        address = request.address
        framing = request.framing
        self.server = server
    }

    func observe(_ observer: any ExchangeObserver, _ endsWithInput: Bool) {
        guard awaitsAnswer else { return }
        self.observer = observer
        guard endsWithInput else { return }
        let key = key
        server.shared.mailboxes[Int(key.origin)].post { server, loop in
            server.connections[key.connection]?.forwardEndsWithInput(key, on: loop)
        }
    }

    /// Writes the answer and sends it to the loop of the connection.
    func answer(
        status: Int, on loop: isolated EventLoop, _ fill: (inout ResponseWriter) -> Void
    ) {
        send(status, .nothing, on: loop, fill)
    }

    /// Writes the head of an answer, and sends it with a body, which is copied only if it is small.
    func answer(
        status: Int, body: SharedBytes, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) {
        send(status, framing.isShared(body) ? .body(body) : .nothing, on: loop) { writer in
            fill(&writer)
            framing.write(body, to: &writer)
        }
    }

    /// Writes the head of an answer whose body is a part of a file, and sends it with the file.
    func answer(
        status: Int, file: consuming Descriptor, range: Range<Int64>, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) {
        let file = framing.isHead || range.isEmpty ? nil : ForwardedFile(file, range: range)
        send(status, file.map { .file($0) } ?? .nothing, on: loop) { writer in
            fill(&writer)
            writer.field("Content-Length", range.count)
            writer.endHead()
        }
    }

    private func send(
        _ status: Int, _ rest: ForwardedAnswer.Rest, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) {
        guard awaitsAnswer else { return }
        awaitsAnswer = false
        observer = nil
        server.forwards[key] = nil
        let head = framing.answer(status, lines: server.commonLines(on: loop), behind: [], fill)
        let answer = ForwardedAnswer(head: head, rest: rest)
        let key = key
        server.shared.mailboxes[Int(key.origin)].post { server, _ in
            server.connections[key.connection]?.takeForwarded(answer, for: key)
        }
    }

    func closeLater(_ source: any StreamSource) {
        server.closeLater(source)
    }

    var compressionThreshold: Int {
        server.limits.compressionThresholdByteCount
    }

    /// The client has gone.
    func cancel(on loop: isolated EventLoop) {
        awaitsAnswer = false
        server.forwards[key] = nil
        observer.take()?.exchangeClosed(on: loop)
    }

    /// The server is shutting down.
    func drain(on loop: isolated EventLoop) {
        observer?.exchangeDraining(on: loop)
    }
}

/// An answer on its way to the loop of its connection.
struct ForwardedAnswer: Sendable {
    /// What follows the head.
    enum Rest: Sendable {
        case nothing
        case body(SharedBytes)
        case file(ForwardedFile)
    }

    /// The head; a small body stands behind it.
    let head: [UInt8]
    let rest: Rest
}

/// A part of a file between two loops.
final class ForwardedFile: Sendable {
    private let descriptor: Mutex<Descriptor>
    private let range: Range<Int64>

    init(_ descriptor: consuming Descriptor, range: Range<Int64>) {
        self.descriptor = Mutex(descriptor)
        self.range = range
    }

    /// Takes the file, once, to send it.
    func takeTransfer() -> FileTransfer {
        FileTransfer(descriptor.withLock { $0.take() }, range: range)
    }
}

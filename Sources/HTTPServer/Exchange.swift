package import HTTPMessages
package import HTTPTypes
package import Sockets

/// One request that awaits its answer: a handle to copy and keep, on the loop of its handler only.
///
/// Exactly one answer counts; later ones, and those to a client that has gone, do nothing. An
/// exchange that is never answered holds its connection until the client goes.
package struct Exchange {
    enum Route {
        case local(Connection)
        case remote(RemoteRequest)
    }

    let route: Route
    let serial: UInt64
    /// Whether the request is HEAD: the answer gets the same fields, its body is left out.
    package let isHead: Bool

    /// Who asks: the address of the connection's other end, perhaps a proxy's.
    package var remoteAddress: IPAddress {
        switch route {
        case .local(let connection): connection.address
        case .remote(let request): request.address
        }
    }

    /// Whether an answer would still reach somebody.
    package var isOpen: Bool {
        switch route {
        case .local(let connection): connection.awaitsAnswer(serial)
        case .remote(let request): request.awaitsAnswer
        }
    }

    /// Answers. `fill` adds fields, then the body, through the writer; the server adds `Date`,
    /// `Content-Length` and `Connection`. It must do nothing else.
    ///
    /// Inside `handle` the answer goes into the buffer that all answers of the loop share and is
    /// sent with its neighbours; from elsewhere it is sent at the end of the loop's turn.
    @inline(__always)
    package func respond(
        _ status: HTTPResponse.Status, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) {
        respond(status: status.code, on: loop, fill)
    }

    /// As `respond`, by the number of the status.
    package func respond(
        status: Int, on loop: isolated EventLoop, _ fill: (inout ResponseWriter) -> Void
    ) {
        switch route {
        case .local(let connection):
            connection.answer(serial, status: status, on: loop, fill)
        case .remote(let request):
            request.answer(status: status, on: loop, fill)
        }
    }

    /// Answers with a body that other answers may have as well: a large one is not copied. `fill`
    /// adds fields only.
    package func respond(
        status: Int = 200, body: SharedBytes, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) {
        switch route {
        case .local(let connection):
            connection.answer(serial, status: status, body: body, on: loop, fill)
        case .remote(let request):
            request.answer(status: status, body: body, on: loop, fill)
        }
    }

    /// Answers with a stream: a body of unknown size that ends with the connection. The head goes
    /// out at once, with what is sent to the stream in the same turn.
    ///
    /// `fill` adds fields only. `age` bounds the stream's life, give or take the configured
    /// jitter; `source` is then told, and the stream finished. For HEAD the head is the answer,
    /// and the stream is closed from the start. A request that was forwarded from another loop
    /// cannot become a stream (see `RequestHandler.destination`) and is answered with 503.
    ///
    /// `compressed` asks for gzip, as far as `HTTPLimits.compressedStreamCount` allows it; the
    /// server then adds Content-Encoding. What is sent in one turn is readable at once, and is
    /// compressed only when there is room for it. Vary is up to `fill`.
    package func startStream(
        _ status: HTTPResponse.Status = .ok, source: any StreamSource, age: Duration? = nil,
        compressed: Bool = false, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) -> OutgoingStream {
        guard case .local(let connection) = route, !isHead else {
            if isHead {
                // What has no end has no length.
                respond(status, on: loop) { writer in
                    fill(&writer)
                    writer.endHead()
                }
            } else {
                respond(.wrongLoop, on: loop)
            }
            closeLater(source)
            return OutgoingStream(connection: nil, serial: serial)
        }
        connection.answerWithStream(
            serial, status: status.code, source: source, age: age, compressed: compressed,
            on: loop, fill)
        return OutgoingStream(connection: connection, serial: serial)
    }

    /// Answers with a part of a file, which the kernel sends without copying it through the
    /// process. `fill` adds fields only, not Content-Length.
    func respond(
        _ status: HTTPResponse.Status, file: consuming Descriptor, range: Range<Int64>,
        on loop: isolated EventLoop, _ fill: (inout ResponseWriter) -> Void
    ) {
        switch route {
        case .local(let connection):
            connection.answerWithFile(
                serial, status: status.code, FileTransfer(file, range: range), on: loop, fill)
        case .remote(let request):
            request.answer(status: status.code, file: file, range: range, on: loop, fill)
        }
    }

    private func closeLater(_ source: any StreamSource) {
        switch route {
        case .local(let connection): connection.server.closeLater(source)
        case .remote(let request): request.closeLater(source)
        }
    }

    /// Has the observer told if the client goes before the answer, or the server shuts down.
    /// One observer at a time; the connection holds it until the answer.
    ///
    /// A client that has ended its side of the connection may still want its answer, and gets it.
    /// `endsWithInput` says that it has gone, and the connection is closed: right for what is held
    /// for nothing but that client, since one that gives up says so in no other way.
    package func observeClose(
        _ observer: any ExchangeObserver, endsWithInput: Bool = false,
        on loop: isolated EventLoop
    ) {
        switch route {
        case .local(let connection): connection.observe(serial, observer, endsWithInput)
        case .remote(let request): request.observe(observer, endsWithInput)
        }
    }
}

internal import Gzip
package import HTTPMessages
package import HTTPTypes
package import Sockets

/// Answers the requests of one loop. Every loop has its own, made by the factory that the server
/// was given; all calls come on that loop.
package protocol RequestHandler: AnyObject {
    /// Judges a request by its head alone: asked once for each, when its head is whole, whether its
    /// body has come or not. Must be cheap and must not answer.
    ///
    /// `bytes` holds the head, and perhaps more; `address` is the client's, `serial` the number of the
    /// request on its connection. That has a `nonce` where it came by the listener for other servers, else 0.
    /// The plan goes with the request, also to another loop.
    func plan(
        _ head: RequestHead, in bytes: Span<UInt8>, from address: IPAddress, nonce: UInt64,
        serial: UInt64
    ) -> RequestPlan

    /// Answers true where `handle` would refuse the request without looking at its body.
    ///
    /// Asked once for a request whose client waits for 100 before it sends the body (RFC 9110
    /// §10.1.1). Where it is true, `handle` gets the head with an empty body at once, and the
    /// connection ends with its answer; where it is false, the client is told to go on. `bytes`
    /// holds the head only, `address` is the client's. Must be cheap and must not answer.
    ///
    /// It is asked on the loop that the plan names, to which the connection moves first: so
    /// a head is judged by the same knowledge wherever it came.
    func refuses(
        _ head: RequestHead, _ plan: RequestPlan, in bytes: Span<UInt8>, from address: IPAddress,
        on loop: isolated EventLoop
    ) -> Bool

    /// Answers one request, now or later, through its exchange.
    ///
    /// `bytes` holds the head at offset 0 and the decoded body (no chunks, no content coding) at
    /// `request.body`; both are gone when this returns, so what is needed later is copied. The next
    /// request of the connection is handed out after this one's answer.
    func handle(_ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop)

    /// Takes what other threads have left for the handler: once a turn, after its requests.
    func takeMessages(on loop: isolated EventLoop)

    /// Gives the answers that have become due by what was handled since the last call: before
    /// anything of a turn is sent, and again after each time that something was.
    func giveDueAnswers(on loop: isolated EventLoop)

    /// Goes on with one of the requests that take milliseconds and wait for that: once a turn, when all else
    /// is sent.
    ///
    /// - Returns: its route, for the log; nil where none waits.
    func goOnWithCostly(on loop: isolated EventLoop) -> String?

    /// The account of who sends requests from an address, as long as nothing else is known of them; 0:
    /// nobody's, since many may.
    func client(at address: IPAddress) -> Accounts.Client

    /// Names the route of a request for the log: `POST /counter/sessions/{id}/actions`. Holds nothing
    /// that is secret: no query, no id.
    func route(of request: InboundRequest, in bytes: Span<UInt8>) -> String

    /// A turn of the loop has taken longer than `HTTPLimits.turnDuration`; the server logs it.
    func turnWasSlow(on loop: isolated EventLoop)
}

extension RequestHandler {
    /// Any loop will do, and all bodies have the bounds of the server.
    package func plan(
        _ head: RequestHead, in bytes: Span<UInt8>, from address: IPAddress, nonce: UInt64,
        serial: UInt64
    ) -> RequestPlan {
        RequestPlan()
    }

    /// The client is told to go on with every body.
    package func refuses(
        _ head: RequestHead, _ plan: RequestPlan, in bytes: Span<UInt8>, from address: IPAddress,
        on loop: isolated EventLoop
    ) -> Bool {
        false
    }

    /// Nobody has an account.
    package func client(at address: IPAddress) -> Accounts.Client { 0 }

    /// No other thread leaves anything.
    package func takeMessages(on loop: isolated EventLoop) {}

    /// The method and the first part of the path: `POST /counter/…`.
    package func route(of request: InboundRequest, in bytes: Span<UInt8>) -> String {
        let parts = request.head.path.string(in: bytes).split(separator: "/", maxSplits: 1)
        let path = parts.first.map { "/\($0.prefix(32))" } ?? "/"
        let method = request.head.methodName.string(in: bytes).prefix(16)
        return "\(method) \(path)\(parts.count > 1 ? "/…" : "")"
    }

    /// The log says enough.
    package func turnWasSlow(on loop: isolated EventLoop) {}

    /// No answer is put off.
    package func giveDueAnswers(on loop: isolated EventLoop) {}

    /// No request waits.
    package func goOnWithCostly(on loop: isolated EventLoop) -> String? { nil }
}

/// A request as its handler gets it, but for its bytes, which are lent beside it.
package struct InboundRequest {
    package let head: RequestHead
    /// The handler's own judgement of the head.
    package let plan: RequestPlan
    /// The place of the decoded body in the bytes.
    package let body: Range<Int>
    /// The way to answer it.
    package let exchange: Exchange
}

/// The decisions about a request that a handler takes by its head.
package struct RequestPlan: Sendable, BitwiseCopyable {
    /// The bytes that the body may have, counted after its codings are taken off; nil for
    /// `HTTPLimits.bodyByteCount`.
    package var bodyLimit: Int?
    /// No body is taken: the head alone is handed out, as the last one of its connection.
    package var refusesBody = false
    /// The loop whose state the request needs; nil where any will do.
    package var destination: LoopDestination?
    /// The handler's own numbers: what the path names.
    package let kind: UInt8
    package let place: Int32
    package let name: Slice
    package var hash: UInt64

    package init(kind: UInt8 = 0, place: Int = 0, name: Slice = .empty) {
        self.kind = kind
        self.place = Int32(place)
        self.name = name
        hash = 0
    }
}

/// The loop that a request must be answered on.
package struct LoopDestination: Sendable, Hashable, BitwiseCopyable {
    /// The loop's index.
    package var loopIndex: Int
    /// The answer is a stream: the connection moves to that loop first.
    package var isStream: Bool

    package init(loopIndex: Int, isStream: Bool = false) {
        self.loopIndex = loopIndex
        self.isStream = isStream
    }
}

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
    /// The number of the request on its connection.
    package let serial: UInt64
    /// The request is HEAD: the answer gets the same fields, its body is left out.
    package let isHead: Bool
    /// Another server, whose answer is lost, may have done what the request asks for.
    package var mayBeDone = false

    /// The address of the connection's other end, perhaps a proxy's. Behind another server it is told for
    /// each request before it is asked for.
    package var remoteAddress: IPAddress {
        get {
            switch route {
            case .local(let connection): connection.address
            case .remote(let request): request.address
            }
        }
        nonmutating set {
            switch route {
            case .local(let connection): connection.address = newValue
            case .remote(let request): request.address = newValue
            }
        }
    }

    /// Drawn for the connection, where another server has sent the request by the listener that clients do
    /// not reach; else 0.
    package var nonce: UInt64 {
        switch route {
        case .local(let connection): connection.nonce
        case .remote(let request): request.nonce
        }
    }

    /// Another server has sent the request.
    package var isInner: Bool {
        switch route {
        case .local(let connection): connection.isInner
        case .remote(let request): request.nonce != 0
        }
    }

    /// An answer would still reach the client.
    package var isOpen: Bool {
        switch route {
        case .local(let connection): connection.machine.awaitsAnswer(serial)
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
        status: Int, _ rest: AnswerRest = .nothing, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) {
        switch route {
        case .local(let connection): connection.answer(serial, status, rest, on: loop, fill)
        case .remote(let request): request.answer(status, rest, on: loop, fill)
        }
    }

    /// The answer depends on who asks, which most answers of the server do not: Vary names the fields
    /// that tell.
    package func varyByCaller() {
        switch route {
        case .local(let connection): connection.machine.varyByCaller()
        case .remote(let request): request.traits.variesByCaller = true
        }
    }

    /// Answers with a body that other answers may have as well: a large one is not copied. `fill`
    /// adds fields only.
    package func respond(
        status: Int = 200, body: SharedBytes, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) {
        let isShared = !isHead && body.count > Connection.copiedByteCount
        respond(status: status, isShared ? .body(body) : .nothing, on: loop) { writer in
            fill(&writer)
            guard isShared else { return writer.body(body.bytes) }
            writer.field("Content-Length", body.count)
            writer.endHead()
        }
    }

    /// Answers with a part of a file, which the kernel sends without copying it through the
    /// process. `fill` adds fields only, not Content-Length.
    func respond(
        _ status: HTTPResponse.Status, file: consuming Descriptor, range: Range<Int64>,
        on loop: isolated EventLoop, _ fill: (inout ResponseWriter) -> Void
    ) {
        let hasContent = !isHead && !range.isEmpty
        let rest = hasContent ? AnswerRest.file(FileTransfer(file, range: range)) : .nothing
        respond(status: status.code, rest, on: loop) { writer in
            fill(&writer)
            writer.field("Content-Length", range.count)
            writer.endHead()
        }
    }

    /// Answers with a stream: a body of unknown size that ends with the connection. The head goes
    /// out at once, with what is sent to the stream in the same turn.
    ///
    /// `fill` adds fields only. `age` bounds the stream's life, give or take the configured
    /// jitter; `source` is then told, and the stream finished. For HEAD the head is the answer,
    /// and the stream is closed from the start. A request that was forwarded from another loop
    /// cannot become a stream (see `RequestPlan.destination`) and is answered with 503. It is on the
    /// account of `client`, and so is all that waits for it.
    ///
    /// `compressed` asks for gzip, as far as `HTTPLimits.compressedStreamCount` and the client's share of
    /// these allow it; the
    /// server then adds Content-Encoding. What is sent in one turn is readable at once, and is
    /// compressed only when there is room for it. Vary is up to `fill`.
    package func startStream(
        _ status: HTTPResponse.Status = .ok, source: any StreamSource, of client: Accounts.Client,
        age: Duration? = nil, compressed: Bool = false, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) -> OutgoingStream {
        guard case .local(let connection) = route, !isHead, isOpen else {
            if isHead {
                // What has no end has no length.
                respond(status, on: loop) { writer in
                    fill(&writer)
                    writer.endHead()
                }
            } else {
                // Nothing comes of it where the exchange is over.
                respond(.wrongLoop, on: loop)
            }
            context.closeLater(source)
            return OutgoingStream(connection: nil)
        }
        connection.startStream(
            serial, status.code, source, of: client, until: context.expiry(after: age, on: loop),
            compressed: compressed, on: loop, fill)
        return OutgoingStream(connection: connection)
    }

    /// The loop's, for what all connections use.
    var context: LoopContext {
        switch route {
        case .local(let connection): connection.context
        case .remote(let request): request.context
        }
    }

    /// Has what waits of the answer be on a client's account, where that is much.
    package func charge(_ client: @autoclosure () -> Accounts.Client) {
        guard case .local(let connection) = route, connection.awaited.source == nil,
            connection.queue.byteCount > Connection.copiedByteCount
        else { return }
        connection.client = client()
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
        case .local(let connection):
            connection.observe(serial, observer, endsWithInput: endsWithInput)
        case .remote(let request): request.observe(observer, endsWithInput: endsWithInput)
        }
    }
}

extension Exchange {
    /// Answers with a problem, as far as that tells of a request that may be done.
    package func respond(_ problem: ProblemDetails, on loop: isolated EventLoop) {
        let problem = problem.told(behind: mayBeDone)
        respond(problem.status, on: loop) { problem.fill(&$0) }
    }

    /// Answers OPTIONS: 204 with the methods of the resource (RFC 9110 §9.3.7).
    package func respondOptions(allow: String, on loop: isolated EventLoop) {
        respond(.noContent, on: loop) { $0.field("Allow", allow) }
    }

    /// Answers with a body, compressed where the client prefers that and the body is long enough
    /// to pay for it; `bytes` are those of the request.
    ///
    /// `etag` is the opaque tag, without quotation marks: on a compressed answer it is weak, as
    /// its bytes are not those of the plain one. `fields` adds further fields, not Vary. Nothing is
    /// compressed for HEAD, whose Content-Length is left out where it is not known (RFC 9110
    /// §9.3.2).
    package func respondNegotiated(
        to head: RequestHead, in bytes: Span<UInt8>, contentType: String, etag: String? = nil,
        body: NegotiatedBody, on loop: isolated EventLoop,
        fields: (inout ResponseWriter) -> Void = { _ in }
    ) {
        let isCompressed =
            body.isCompressible
            && body.plain.count >= context.limits.compressionThresholdByteCount
            && AcceptField.prefers(coding: "gzip", head, in: bytes)
        func fill(_ writer: inout ResponseWriter) {
            writer.field("Content-Type", contentType)
            writer.vary(by: "Accept-Encoding")
            if isCompressed { writer.field("Content-Encoding", "gzip") }
            if let etag { writer.field("ETag", isCompressed ? "W/\"\(etag)\"" : "\"\(etag)\"") }
            fields(&writer)
        }
        guard isCompressed else { return respond(body: body.plain, on: loop, fill) }
        guard isHead, body.compressed == nil else {
            return respond(body: body.compress(), on: loop, fill)
        }
        respond(.ok, on: loop) { writer in
            fill(&writer)
            writer.endHead()
        }
    }
}

/// The body of many answers, in the two forms that clients ask for: its bytes, and their gzip form,
/// which is made once, for the first client that prefers it.
///
/// A handler keeps one as long as the content is what it was, on its loop.
package final class NegotiatedBody {
    /// The content.
    package let plain: SharedBytes
    /// The gzip form, once a client has asked for it.
    package private(set) var compressed: SharedBytes?

    /// False: it is so large that to compress it would keep the loop for too long.
    let isCompressible: Bool

    package init(_ plain: SharedBytes, isCompressible: Bool = true) {
        self.plain = plain
        self.isCompressible = isCompressible
    }

    /// Longer content is compressed in half the time, to a seventh more bytes.
    private static let carefulByteCount = 128 << 10

    /// The gzip form, made now unless it is there. Takes 5 to 10 ns a byte.
    func compress() -> SharedBytes {
        if let compressed { return compressed }
        let bytes = plain.bytes
        let coded = gzip(bytes.span, level: bytes.count <= Self.carefulByteCount ? 4 : 1)
        let made = SharedBytes(copying: coded.span)
        compressed = made
        return made
    }
}

package import HTTPMessages
package import Sockets

/// Answers the requests of one loop. Every loop has its own, made by the factory that the server
/// was given; all calls come on that loop.
package protocol RequestHandler: AnyObject {
    /// Judges a request by its head alone: asked once for each, when its head is whole, whether its
    /// body has come or not. Must be cheap and must not answer.
    ///
    /// `bytes` holds the head, and perhaps more; `address` is the client's, nil where it came by the
    /// listener for other servers. The plan goes with the request, also to another loop.
    func plan(
        _ head: RequestHead, in bytes: Span<UInt8>, from address: IPAddress?
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
        _ head: RequestHead, in bytes: Span<UInt8>, from address: IPAddress?
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
    /// The loop whose state the request needs; nil where any will do.
    package var destination: LoopDestination?
    /// The handler's own numbers: what the path names.
    package let kind: UInt8
    package let place: Int32
    package let name: Slice
    package var hash: UInt64

    package init(
        kind: UInt8 = 0, place: Int = 0, name: Slice = .empty, hash: UInt64 = 0
    ) {
        self.kind = kind
        self.place = Int32(place)
        self.name = name
        self.hash = hash
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

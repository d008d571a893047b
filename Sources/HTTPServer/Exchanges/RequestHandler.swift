package import HTTPMessages
package import Sockets

/// Answers the requests of one loop. Every loop has its own, made by the factory that the server
/// was given; all calls come on that loop.
package protocol RequestHandler: AnyObject {
    /// The loop whose state this request needs; nil when any loop will do.
    ///
    /// Called only when the server has more than one loop, once or more for each request: with the
    /// body behind the head, or with the head alone, where the client waits with the body. Must be
    /// cheap and must not answer.
    func destination(of head: RequestHead, in bytes: Span<UInt8>) -> LoopDestination?

    /// Answers true where `handle` would refuse the request without looking at its body.
    ///
    /// Asked once for a request whose client waits for 100 before it sends the body (RFC 9110
    /// §10.1.1). Where it is true, `handle` gets the head with an empty body at once, and the
    /// connection ends with its answer; where it is false, the client is told to go on. `bytes`
    /// holds the head only, `address` is the client's. Must be cheap and must not answer.
    ///
    /// It is asked on the loop that `destination` names, to which the connection moves first: so
    /// a head is judged by the same knowledge wherever it came.
    func refuses(
        _ head: RequestHead, in bytes: Span<UInt8>, from address: IPAddress,
        on loop: isolated EventLoop
    ) -> Bool

    /// The bytes that a request's body may have; nil for those of `HTTPLimits.bodyByteCount`.
    ///
    /// Asked about requests with a body, by their heads: `bytes` holds the head, and perhaps more.
    /// Must be cheap.
    func bodyLimit(
        of head: RequestHead, in bytes: Span<UInt8>, from address: IPAddress
    ) -> Int?

    /// Answers one request, now or later, through `exchange`.
    ///
    /// `bytes` holds the head at offset 0 and the decoded body (no chunks, no content coding) at
    /// `body`; both are gone when this returns, so what is needed later is copied. The next
    /// request of the connection is handed out after this one's answer.
    func handle(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Range<Int>, exchange: Exchange,
        on loop: isolated EventLoop)

    /// Takes what other threads have left for the handler: once a turn, after its requests.
    func takeMessages(on loop: isolated EventLoop)

    /// Gives the answers that have become due by what was handled since the last call: before
    /// anything of a turn is sent, and again after each time that something was.
    func giveDueAnswers(on loop: isolated EventLoop)

    /// Names the route of a request for the log: `POST /counter/sessions/{id}/actions`. Holds nothing
    /// that is secret: no query, no id.
    func route(of head: RequestHead, in bytes: Span<UInt8>) -> String

    /// A turn of the loop has taken longer than `HTTPLimits.turnDuration`; the server logs it.
    func turnWasSlow(on loop: isolated EventLoop)
}

extension RequestHandler {
    /// The client is told to go on with every body.
    package func refuses(
        _ head: RequestHead, in bytes: Span<UInt8>, from address: IPAddress,
        on loop: isolated EventLoop
    ) -> Bool {
        false
    }

    /// All bodies have the bounds of the server.
    package func bodyLimit(
        of head: RequestHead, in bytes: Span<UInt8>, from address: IPAddress
    ) -> Int? {
        nil
    }

    /// No other thread leaves anything.
    package func takeMessages(on loop: isolated EventLoop) {}

    /// The method and the first part of the path: `POST /counter/…`.
    package func route(of head: RequestHead, in bytes: Span<UInt8>) -> String {
        let parts = head.path.string(in: bytes).split(separator: "/", maxSplits: 1)
        let path = parts.first.map { "/\($0.prefix(32))" } ?? "/"
        let method = head.methodName.string(in: bytes).prefix(16)
        return "\(method) \(path)\(parts.count > 1 ? "/…" : "")"
    }

    /// The log says enough.
    package func turnWasSlow(on loop: isolated EventLoop) {}

    /// No answer is put off.
    package func giveDueAnswers(on loop: isolated EventLoop) {}

    /// Any loop will do.
    package func destination(of head: RequestHead, in bytes: Span<UInt8>) -> LoopDestination? {
        nil
    }
}

/// The loop that a request must be answered on.
package struct LoopDestination: Sendable, Hashable {
    /// The loop's index.
    package var loopIndex: Int
    /// The answer is a stream: the connection moves to that loop first.
    package var isStream: Bool

    package init(loopIndex: Int, isStream: Bool = false) {
        self.loopIndex = loopIndex
        self.isStream = isStream
    }
}

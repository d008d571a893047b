public import HTTPMessages
public import Sockets

/// The loop that a request must be answered on.
public struct LoopDestination: Sendable, Hashable {
    /// The loop's index.
    public var loopIndex: Int
    /// Whether the answer is a stream: the connection then moves to that loop first.
    public var isStream: Bool

    /// A destination.
    public init(loopIndex: Int, isStream: Bool = false) {
        self.loopIndex = loopIndex
        self.isStream = isStream
    }
}

/// Answers the requests of one loop. Every loop has its own, made by the factory that the server
/// was given; all calls come on that loop.
public protocol RequestHandler: AnyObject {
    /// The loop whose state this request needs; nil when any loop will do.
    ///
    /// Called only when the server has more than one loop, once or more for each request, before
    /// its body has come. Must be cheap and must not answer.
    func destination(of head: RequestHead, in bytes: Span<UInt8>) -> LoopDestination?

    /// Answers one request, now or later, through `exchange`.
    ///
    /// `bytes` holds the head at offset 0 and the decoded body (no chunks, no content coding) at
    /// `body`; both are gone when this returns, so what is needed later is copied. The next
    /// request of the connection is handed out after this one's answer.
    func handle(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Range<Int>, exchange: Exchange,
        on loop: isolated EventLoop)
}

extension RequestHandler {
    /// Any loop will do.
    public func destination(of head: RequestHead, in bytes: Span<UInt8>) -> LoopDestination? {
        nil
    }
}

package import Sockets

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

internal import HTTPMessages
package import Sockets

/// Gets what comes on a connection to another server.
protocol PeerListener: AnyObject {
    func received(_ bytes: [UInt8], on loop: isolated EventLoop)
    /// The connection has ended.
    func lost(on loop: isolated EventLoop)
}

/// Where a request between servers stands: what is signed for it counts there alone.
package struct PeerPlace: CustomStringConvertible {
    package let receiver: SocketAddress
    /// Drawn by the receiver for one connection.
    package let nonce: UInt64
    /// The number of the request on the connection.
    package var serial: UInt64

    package init(receiver: SocketAddress, nonce: UInt64, serial: UInt64) {
        (self.receiver, self.nonce, self.serial) = (receiver, nonce, serial)
    }

    package var description: String { "\(receiver) \(nonce) \(serial)" }
}

/// The one answer that is awaited of another server, as far as it has come.
struct PeerAnswer {
    /// The head, once it is whole, and its bytes.
    private(set) var head: ResponseHead?
    private(set) var message: [UInt8] = []
    private var parser: ResponseParser
    private var body = ResponseBody(.none)
    /// Nothing of it follows.
    private(set) var isWhole = false
    private var hasMore = false

    init(toHead answersHead: Bool) { parser = ResponseParser(answersHead: answersHead) }

    /// Goes on with what came, and appends what it brings of the body.
    mutating func read(_ bytes: [UInt8], to payload: inout [UInt8]) throws(ResponseError) {
        guard let rest = try head == nil ? readHead(bytes) : bytes else { return }
        let more = rest.dropFirst(try body.read(rest.span, to: &payload))
        // Nothing else was asked for by this connection; behind an answer a server that drains, or to which it
        // is too old, says that it takes nothing more.
        guard "HTTP/1.1 421".utf8.starts(with: more.prefix(12)) else {
            throw .malformed("An answer has more than its body.")
        }
        (isWhole, hasMore) = (body.isComplete, !more.isEmpty)
    }

    /// Its connection may have another request.
    var isReusable: Bool { isWhole && !hasMore && head?.keepAlive ?? false }

    /// - Returns: what follows the head; nil where that is not whole.
    private mutating func readHead(_ bytes: [UInt8]) throws(ResponseError) -> [UInt8]? {
        self.message += bytes
        let message = message
        guard let found = try parser.parse(message.span) else { return nil }
        guard (200..<600).contains(found.status) else { throw .malformed("It is no answer.") }
        let rest = Array(message[found.byteCount...])
        self.message.removeLast(rest.count)
        (head, body) = (found, ResponseBody(found.body))
        return rest
    }

    /// The value of a field; nil before the head is whole, and where that does not have it.
    func field(_ wanted: String) -> String? {
        var found: String?
        head?.forEachField(in: message.span) { name, value in
            if name.isEqual(to: wanted, in: message.span) {
                found = value.string(in: message.span)
            }
        }
        return found
    }
}

/// A request of this server itself to another one, whose answer is told as it comes.
package final class PeerRequest: PeerListener, TimerHandler {
    package enum News {
        case began(status: Int, tag: String?)
        case body([UInt8])
        /// Nothing follows; the answer is whole, or not.
        case ended(isWhole: Bool)
    }

    /// So many bytes of the answer's body may still come.
    private var rest: Int
    private let silence: Duration
    private let connections: PeerConnections
    private var tell: ((News) -> Void)?
    private var peer: PeerConnection?
    private var timer = Timer.none
    private var answer: PeerAnswer

    /// - Parameters:
    ///   - limit: an answer with a longer body does not become whole.
    ///   - silence: a server that says nothing for so long is lost.
    ///   - tell: not called any more once it was told of the end, or the request is given up.
    package init(
        isHead: Bool = false, limit: Int = PeerConnections.byteCount, silence: Duration,
        by connections: PeerConnections, tell: @escaping (News) -> Void
    ) {
        (rest, self.silence, self.connections, self.tell) = (limit, silence, connections, tell)
        answer = PeerAnswer(toHead: isHead)
    }

    package func begin(
        _ request: [UInt8], to address: SocketAddress, on loop: isolated EventLoop
    ) {
        timer = loop.schedule(after: silence, self)
        do throws(SystemError) {
            let peer = try connections.connection(to: address, on: loop)
            self.peer = peer
            peer.send(request, for: self, on: loop)
        } catch {
            end(isWhole: false, on: loop)
        }
    }

    /// Nothing of it is told any more.
    package func giveUp(on loop: isolated EventLoop) {
        tell = nil
        end(isWhole: false, on: loop)
    }

    /// The answer has come, or does not come any more.
    package func end(isWhole: Bool, on loop: isolated EventLoop) {
        loop.cancel(timer)
        // Where nothing was sent, it is as if that server did not have what is asked for.
        if answer.head == nil, !(peer?.hasSent ?? false) { tell?(.began(status: 421, tag: nil)) }
        if let peer = peer.take() {
            connections.take(peer, isReusable: answer.isReusable, on: loop)
        }
        tell.take()?(.ended(isWhole: isWhole))
    }

    func received(_ bytes: [UInt8], on loop: isolated EventLoop) {
        let isNew = answer.head == nil
        var payload: [UInt8] = []
        do throws(ResponseError) {
            try answer.read(bytes, to: &payload)
        } catch {
            return end(isWhole: false, on: loop)
        }
        rest -= payload.count
        guard rest >= 0 else { return end(isWhole: false, on: loop) }
        loop.rearm(&timer, at: loop.now.advanced(by: silence), self)
        if isNew, let head = answer.head {
            tell?(.began(status: head.status, tag: answer.field("etag")))
        }
        if !payload.isEmpty { tell?(.body(payload)) }
        if answer.isWhole { end(isWhole: true, on: loop) }
    }

    func lost(on loop: isolated EventLoop) { end(isWhole: false, on: loop) }

    package func timerFired(_ timer: Timer, on loop: isolated EventLoop) { lost(on: loop) }
}

internal import Bytes
internal import HTTPMessages
internal import Sockets

/// A connection to another server. The two make sure of each other before anything else is sent:
///
///     OPTIONS * HTTP/1.1             HTTP/1.1 407 Proxy Authentication Required
///     Statecast-Hello: <word>   ──▶  Statecast-Hello: <nonce> <code of both>
///
final class PeerConnection: ReadinessHandler, TimerHandler {
    let address: SocketAddress
    private weak var others: PeerConnections?
    private var descriptor: Descriptor
    private var registration = Registration.none
    private let queue = WriteQueue()
    /// Whose request it has; nil while it waits for one.
    private var user: (any PeerListener)?
    private var timer = Timer.none
    private let word = UInt64.random(in: 0 ... .max)
    /// The first answer, until it is whole.
    private var greeting: PeerAnswer? = PeerAnswer(toHead: false)
    /// The present request's; nil before the first answer.
    private var place: PeerPlace?
    /// The request that waits for the first answer.
    private var waiting: [UInt8]?
    /// There is somebody.
    private(set) var isConnected = false
    /// Some bytes of the present request were sent.
    private(set) var hasSent = false
    private var interest = Readiness.read

    init(
        to address: SocketAddress, among others: PeerConnections, on loop: isolated EventLoop
    ) throws(SystemError) {
        (self.address, self.others) = (address, others)
        descriptor = try address.connect(loop.system)
        registration = try loop.add(descriptor, interest: interest, handler: self)
        let hello = "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nStatecast-Hello: \(word)\r\n\r\n"
        queue.append(SharedBytes(Array(hello.utf8)))
    }

    /// Sends a request, now or as soon as both are sure of each other.
    func send(_ request: [UInt8], for user: any PeerListener, on loop: isolated EventLoop) {
        loop.cancel(timer)
        (self.user, hasSent, waiting) = (user, false, request)
        sendWaiting(on: loop)
    }

    private func sendWaiting(on loop: isolated EventLoop) {
        if var place, let others, let request = waiting.take() {
            place.serial += 1
            self.place = place
            queue.append(SharedBytes(others.sign(request, place)))
        }
        flush(on: loop)
    }

    /// Nothing of the present request is left: an answer may come before that.
    var hasSentAll: Bool { queue.isEmpty && waiting == nil }

    func rest(for duration: Duration, on loop: isolated EventLoop) {
        user = nil
        timer = loop.schedule(after: duration, self)
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) { lose(on: loop) }

    func close(on loop: isolated EventLoop) {
        user = nil
        loop.cancel(timer)
        guard registration != .none else { return }
        let former = registration
        registration = .none
        loop.remove(former, closing: descriptor.take())
    }

    func pause(on loop: isolated EventLoop) { wait(for: interest.subtracting(.read), on: loop) }

    func resume(on loop: isolated EventLoop) { wait(for: interest.union(.read), on: loop) }

    private func wait(for events: Readiness, on loop: isolated EventLoop) {
        guard events != interest, registration != .none else { return }
        interest = events
        loop.modify(registration, interest: events)
    }

    private func flush(on loop: isolated EventLoop) {
        let before = queue.byteCount
        let result = queue.flush(to: descriptor, loop.system)
        if queue.byteCount < before { (isConnected, hasSent) = (true, place != nil) }
        switch result {
        case .drained: wait(for: interest.subtracting(.write), on: loop)
        case .blocked: wait(for: interest.union(.write), on: loop)
        // Its event follows.
        case .failed: break
        }
    }

    func ready(_ events: Readiness, on loop: isolated EventLoop) {
        if events.contains(.read) {
            receive(on: loop)
        } else if !events.isDisjoint(with: .over) {
            lose(on: loop)
        }
        guard registration != .none, events.contains(.write) else { return }
        flush(on: loop)
    }

    private func receive(on loop: isolated EventLoop) {
        var bytes: [UInt8] = []
        switch loop.receive(from: descriptor, { bytes = [UInt8](copying: $0) }) {
        case .bytes where greeting != nil: greet(bytes, on: loop)
        case .bytes:
            // Nothing is asked for by one that waits.
            if let user { user.received(bytes, on: loop) } else { lose(on: loop) }
        case .wouldBlock: break
        case .closed, .failed: lose(on: loop)
        }
    }

    private func greet(_ bytes: [UInt8], on loop: isolated EventLoop) {
        var body: [UInt8] = []
        do throws(ResponseError) {
            try greeting?.read(bytes, to: &body)
        } catch {
            return lose(on: loop)
        }
        guard let answer = greeting, answer.isWhole else { return }
        greeting = nil
        let nonce = answer.field("statecast-hello").flatMap { others?.greeted($0, word, address) }
        guard let nonce, answer.isReusable else {
            // One that goes says so, or takes nothing behind its answer.
            let status = answer.head?.status == 421 || nonce != nil ? 421 : 407
            let end = "HTTP/1.1 \(status) No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            return user?.received(Array(end.utf8), on: loop) ?? ()
        }
        place = PeerPlace(receiver: address, nonce: nonce, serial: 1)
        sendWaiting(on: loop)
    }

    private func lose(on loop: isolated EventLoop) {
        // Who has a request there closes the connection.
        if let user { return user.lost(on: loop) }
        others?.forget(self)
        close(on: loop)
    }
}

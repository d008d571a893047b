@testable import HTTPServer
import HTTPMessages
import HTTPTypes
import Sockets

/// What handlers of a test tell it, from their loops.
final class Journal: Sendable {
    private struct Waiter {
        let line: String
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var lines: [String] = []
        var waiters: [Waiter] = []

        /// Takes out those whose line was noted often enough.
        mutating func takeReady() -> [Waiter] {
            let ready = waiters.filter { waiter in
                lines.count { $0 == waiter.line } >= waiter.count
            }
            waiters.removeAll { waiter in lines.count { $0 == waiter.line } >= waiter.count }
            return ready
        }
    }

    private let state = Lock(State())

    func note(_ line: String) {
        let ready = state.withLock { state in
            state.lines.append(line)
            return state.takeReady()
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    var all: [String] {
        state.withLock { $0.lines }
    }

    /// Returns once the line was noted so many times.
    func wait(for line: String, count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.waiters.append(Waiter(line: line, count: count, continuation: continuation))
                return state.takeReady()
            }
            for waiter in ready { waiter.continuation.resume() }
        }
    }
}

/// Answers by the path: what the tests of connections need.
///
/// - `/echo`: the body comes back
/// - `/hold`: answered by `/release`; `/wait` as well, which only its client waits for
/// - `/stream`: a stream, fed by `POST /send` with the body, ended by `POST /finish`; compressed
///   where the query is `gzip`. After `/send?notify` its source wants to be told of room.
/// - `/brief`: a stream that is finished at once
/// - `/loop/N…`: answered on loop N, with its index; `/loop/N/hold` and its like as above
/// - `/big/N?C`: N bytes, on the account of client C if one is named
/// - `/refused`: 404, whatever the body
/// - anything else: method and path
final class ProbeHandler: RequestHandler {
    private let journal: Journal
    private var held: [Exchange] = []
    private var streams: [ProbeSource] = []

    /// Of all who are not told apart.
    private let client: Accounts.Client

    init(_ journal: Journal, client: Accounts.Client = 0) {
        self.journal = journal
        self.client = client
    }

    func client(at address: IPAddress) -> Accounts.Client { client }

    func plan(
        _ head: RequestHead, in bytes: Span<UInt8>, from address: IPAddress, nonce: UInt64,
        serial: UInt64
    ) -> RequestPlan {
        var plan = RequestPlan()
        let parts = head.path.string(in: bytes).split(separator: "/")
        if parts.count >= 2, parts[0] == "loop", let index = Int(parts[1]) {
            plan.destination = LoopDestination(loopIndex: index, isStream: parts.last == "stream")
        }
        return plan
    }

    func refuses(
        _ head: RequestHead, _ plan: RequestPlan, in bytes: Span<UInt8>, from address: IPAddress,
        on loop: isolated EventLoop
    ) -> Bool {
        journal.note("asked for \(head.byteCount == bytes.count)")
        return head.path.string(in: bytes).hasSuffix("/refused")
    }

    func handle(_ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        let path = request.head.path.string(in: bytes)
        let content = bytes.extracting(request.body)
        let parts = path.split(separator: "/")
        switch parts.last {
        case "echo":
            request.exchange.respond(.ok, on: loop) { $0.body([UInt8](copying: content)) }
        case "hold", "wait":
            held.append(request.exchange)
            request.exchange.observeClose(
                ProbeObserver(journal), endsWithInput: parts.last == "wait", on: loop)
            journal.note("held")
        case "release":
            for exchange in held.reversed() { answer(exchange, "released", on: loop) }
            held = []
            answer(request.exchange, "done", on: loop)
        case "stream":
            startStream(
                request.exchange, compressed: request.head.query.string(in: bytes) == "gzip",
                on: loop)
        case "brief":
            startStream(request.exchange, compressed: false, on: loop)
            streams.removeLast().stream?.finish(on: loop)
        case "send":
            let frame = StreamFrame(capacity: content.count) {
                for index in content.indices { $0.append(content[index]) }
            }
            let notifies = request.head.query.isEqual(to: "notify", in: bytes)
            for source in streams {
                source.stream?.send(frame, on: loop)
                if notifies { _ = source.stream?.offer(waitingBehind: 0, { frame }, on: loop) }
            }
            answer(request.exchange, "\(streams.first?.stream?.isBlocked ?? false)", on: loop)
        case "refused":
            journal.note("refused with \(content.count) bytes of body")
            request.exchange.respond(.notFound, on: loop)
        case "finish":
            for source in streams { source.stream?.finish(on: loop) }
            answer(request.exchange, "done", on: loop)
        default:
            if parts.first == "big", let count = parts.last.flatMap({ Int($0) }) {
                journal.note("big")
                let body = [UInt8](repeating: UInt8(ascii: "x"), count: count)
                guard let client = Accounts.Client(request.head.query.string(in: bytes)) else {
                    return request.exchange.respond(.ok, on: loop) { $0.body(body) }
                }
                request.exchange.respond(body: SharedBytes(body), on: loop) { _ in }
                return request.exchange.charge(client)
            }
            if parts.first == "loop" {
                var isRemote = false
                if case .remote = request.exchange.route { isRemote = true }
                let place = isRemote ? "forwarded" : "here"
                return answer(request.exchange, "\(loop.index) \(place)", on: loop)
            }
            answer(
                request.exchange, "\(request.head.methodName.string(in: bytes)) \(path)", on: loop)
        }
    }

    private func startStream(
        _ exchange: Exchange, compressed: Bool, on loop: isolated EventLoop
    ) {
        let source = ProbeSource(journal)
        streams.append(source)
        source.stream = exchange.startStream(
            source: source, of: 1, age: .seconds(600), compressed: compressed, on: loop
        ) {
            $0.field("Content-Type", "text/event-stream")
        }
        source.stream?.send(StreamFrame([UInt8]("hello on \(loop.index)\n".utf8)), on: loop)
        journal.note("started")
    }

    private func answer(_ exchange: Exchange, _ text: String, on loop: isolated EventLoop) {
        exchange.respond(.ok, on: loop) { $0.body([UInt8](text.utf8)) }
    }
}

final class ProbeObserver: ExchangeObserver {
    private let journal: Journal

    init(_ journal: Journal) {
        self.journal = journal
    }

    func exchangeClosed(on loop: isolated EventLoop) {
        journal.note("client gone")
    }

    func exchangeDraining(on loop: isolated EventLoop) {
        journal.note("draining")
    }
}

final class ProbeSource: StreamSource {
    var stream: OutgoingStream?
    private let journal: Journal

    init(_ journal: Journal) {
        self.journal = journal
    }

    func streamDrained(on loop: isolated EventLoop) {
        journal.note("drained")
    }

    func streamClosed(on loop: isolated EventLoop) {
        journal.note("closed")
        stream = nil
    }

    func streamEnding(_ end: StreamEnd, on loop: isolated EventLoop) {
        stream?.send(StreamFrame([UInt8]("end: \(end)\n".utf8)), on: loop)
    }
}

@testable import Sockets
import FaultPlans
import Testing

/// Sends back what each connection receives, on one or more loops that share a listener.
final class EchoServer: Sendable {
    let listener: Listener
    let loops: [EventLoop]

    init(
        loopCount: Int = 1, faults: FaultPlan? = nil, leastBatchCount: Int? = nil
    ) async throws {
        listener = try Listener(host: "127.0.0.1", port: 0)
        loops = try (0..<loopCount).map { try EventLoop(index: $0, faults: faults.map { $0.next }) }
        for loop in loops {
            try loop.start()
            try await loop.perform { [listener] loop throws in
                loop.input.receiveTogether(from: leastBatchCount)
                let acceptor = EchoAcceptor(listener)
                _ = try loop.add(
                    listener.descriptor, interest: [.read, .exclusive], handler: acceptor)
            }
        }
    }

    func stop() async {
        for loop in loops { loop.stop() }
        for loop in loops { await loop.join() }
    }

    func connect() throws -> BlockingConnection {
        try BlockingConnection(port: listener.port)
    }
}

/// Accepts a few connections a turn, so that the other loops get some.
final class EchoAcceptor: ReadinessHandler {
    private let listener: Listener

    init(_ listener: Listener) {
        self.listener = listener
    }

    func ready(_ events: Readiness, on loop: isolated EventLoop) {
        for _ in 0..<4 {
            switch listener.accept(loop.system) {
            case .accepted(let descriptor, _):
                EchoConnection.open(descriptor, on: loop)
            case .refused: continue
            case .wouldBlock: return
            case .exhausted: return
            }
        }
    }
}

/// One connection that sends back what it receives.
final class EchoConnection: ReadinessHandler {
    private var descriptor: Descriptor
    private var registration: Registration?
    private let queue = WriteQueue()
    private var hasEnded = false

    init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    static func open(_ descriptor: consuming Descriptor, on loop: isolated EventLoop) {
        let connection = EchoConnection(descriptor)
        // A refused registration closes the connection, as its only reference ends here.
        connection.registration = try? loop.add(
            connection.descriptor, interest: .read, handler: connection)
    }

    func ready(_ events: Readiness, on loop: isolated EventLoop) {
        if events.contains(.write) { settle(queue.flush(to: descriptor, loop.system), on: loop) }
        guard events != .write, descriptor.isOpen else { return }
        var flushed: FlushResult?
        let result = loop.receive(from: descriptor) { bytes in
            flushed = queue.send(copying: bytes, to: descriptor, loop.system)
        }
        if let flushed { settle(flushed, on: loop) }
        switch result {
        case .bytes, .wouldBlock: break
        case .closed:
            hasEnded = true
            settle(queue.isEmpty ? .drained : .blocked, on: loop)
        case .failed: close(on: loop)
        }
    }

    private func settle(_ result: FlushResult, on loop: isolated EventLoop) {
        guard let registration else { return }
        switch result {
        case .drained where hasEnded, .failed: close(on: loop)
        case .drained: loop.modify(registration, interest: .read)
        case .blocked: loop.modify(registration, interest: hasEnded ? .write : [.read, .write])
        }
    }

    private func close(on loop: isolated EventLoop) {
        guard let registration else { return }
        self.registration = nil
        loop.remove(registration, closing: descriptor.take())
    }
}

extension EventLoop {
    /// The number of descriptors that are registered.
    var registrationCount: Int { slots.count { $0.number >= 0 } }
}

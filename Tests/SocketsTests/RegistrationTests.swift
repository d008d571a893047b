@testable import Sockets
import Synchronization
import Testing

@Suite struct RegistrationTests {
    @Test func `what a client sends comes back, in pieces of any size`() async throws {
        let server = try await EchoServer()
        let client = try server.connect()
        for size in [1, 2, 1000, 65_536, 65_537, 200_000] {
            let sent = [UInt8](repeating: UInt8(size % 251), count: size)
            try client.send(sent)
            #expect(try client.receive { $0.count >= size } == sent)
        }
        try client.shutdownWrite()
        #expect(try client.receiveAll().isEmpty)
        await server.stop()
    }

    @Test func `a reader that lets megabytes pile up gets every byte in order`() async throws {
        let server = try await EchoServer()
        let client = try server.connect()
        try client.limitReceiveBuffer(to: 65_536)
        let sent = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let all = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try client.send(sent)
                try client.shutdownWrite()
            }
            let all = try client.receiveAll()
            try await group.waitForAll()
            return all
        }
        #expect(all == sent)
        await server.stop()
    }

    @Test func `two hundred connections on two loops are all served, and all forgotten`()
        async throws
    {
        let server = try await EchoServer(loopCount: 2)
        for _ in 0..<4 {
            let clients = try (0..<50).map { _ in try server.connect() }
            for (number, client) in clients.enumerated() { try client.send("\(number);") }
            for (number, client) in clients.enumerated() {
                let text = try client.receive { $0.last == UInt8(ascii: ";") }
                #expect(text == [UInt8]("\(number);".utf8))
            }
            for client in clients { try client.shutdownWrite() }
            for client in clients { #expect(try client.receiveAll().isEmpty) }
        }
        for loop in server.loops { #expect(await loop.registrationCount == 1) }
        await server.stop()
    }

    @Test(arguments: [
        (4, 40_000, ReceiveBatch.capacity), (4, 4_000_000, 6), (10, 9_900_000, 1),
        (4, 20_000_000, 1), (4, 0, ReceiveBatch.capacity),
        (4, -86_400_000_000_000, ReceiveBatch.capacity),
    ])
    func `so many events are delivered between two looks at the time as their pace allows`(
        count: Int, time: Int64, next: Int
    ) {
        #expect(EventLoop.count(after: count, in: time, of: 10_000_000) == next)
    }

    @Test func `events for which a turn has no time left come in the next ones, the last by turns`()
        async throws
    {
        let loop = try EventLoop(index: 0)
        let listeners = try (0..<16).map { _ in try Listener(host: "127.0.0.1", port: 0) }
        let clients = try listeners.map { try BlockingConnection(port: $0.port) }
        let ledger = Ledger()
        loop.submit { loop in
            loop.deliveryNanoseconds = 0
            let turns = TurnCounter()
            loop.onTurnEnd(turns)
            for (number, listener) in listeners.enumerated() {
                let once = Once { ledger.note(turns.box.value, number) }
                once.registration = try? loop.add(
                    listener.descriptor, interest: .read, handler: once)
            }
        }
        try loop.start()
        while ledger.lines.values.map(\.count).reduce(0, +) < 16 { await Task.yield() }
        let groups = ledger.lines.sorted { $0.key < $1.key }.map(\.value)
        #expect(groups.map(\.count) == [4, 2, 2, 2, 2, 2, 2])
        let places = [0, 1, 2, 3, 15, 4, 14, 5, 13, 6, 12, 7, 11, 8, 10, 9]
        #expect(groups.flatMap(\.self) == places)
        withExtendedLifetime((clients, listeners)) {}
        loop.stop()
        await loop.join()
    }

    @Test func `an event of a removed registration is dropped, also when its slot lives again`()
        async throws
    {
        let loop = try EventLoop(index: 0)
        let listener = try Listener(host: "127.0.0.1", port: 0)
        let ledger = Ledger()
        try loop.start()
        try await loop.perform { loop throws in
            let first = Events { _ in ledger.note(0, 1) }
            let second = Events { _ in ledger.note(0, 2) }
            let stale = try loop.add(listener.descriptor, interest: .read, handler: first)
            loop.handler(of: stale)?.ready(.read, on: loop)
            loop.remove(stale)
            loop.remove(stale)
            loop.handler(of: stale)?.ready(.read, on: loop)
            let fresh = try loop.add(listener.descriptor, interest: .read, handler: second)
            #expect(fresh.slot == stale.slot)
            loop.handler(of: stale)?.ready(.read, on: loop)
            loop.modify(stale, interest: .write)
            loop.modify(.none, interest: .write)
            loop.remove(.none)
            loop.handler(of: .none)?.ready(.read, on: loop)
            loop.handler(of: fresh)?.ready(.read, on: loop)
            #expect(loop.registrationCount == 1)
        }
        #expect(ledger.lines[0] == [1, 2])
        loop.stop()
        await loop.join()
    }

    @Test func `a handler may remove every registration of its turn`() async throws {
        let loop = try EventLoop(index: 0)
        let listener = try Listener(host: "127.0.0.1", port: 0)
        let clients = try (0..<20).map { _ in try BlockingConnection(port: listener.port) }
        for client in clients { try client.send("x") }
        let ledger = Ledger()
        try loop.start()
        await withCheckedContinuation { continuation in
            loop.submit { loop in
                let group = Group(
                    ended: { count in
                        ledger.note(0, count)
                        continuation.resume()
                    })
                while case .accepted(let descriptor, _) = listener.accept(loop.system) {
                    group.adopt(descriptor, on: loop)
                }
            }
        }
        #expect(ledger.lines[0] == [1])
        #expect(await loop.registrationCount == 0)
        for client in clients { _ = try? client.receiveAll() }
        loop.stop()
        await loop.join()
    }

    @Test func `a connection moves to another loop with its descriptor, and nothing is lost`()
        async throws
    {
        let loops = try (0..<2).map { try EventLoop(index: $0) }
        for loop in loops { try loop.start() }
        let listener = try Listener(host: "127.0.0.1", port: 0)
        let client = try BlockingConnection(port: listener.port)
        let arrived: Bool = await withCheckedContinuation { continuation in
            loops[0].submit { loop in
                guard case .accepted(let descriptor, _) = listener.accept(loop.system) else {
                    return continuation.resume(returning: false)
                }
                let moving = Moving(descriptor)
                loops[1].submit { loop in
                    EchoConnection.open(moving.descriptor.withLock { $0.take() }, on: loop)
                    continuation.resume(returning: loop.executor.isCurrentThread)
                }
            }
        }
        #expect(arrived)
        try client.send("moved")
        #expect(try client.receive { $0.count == 5 } == [UInt8]("moved".utf8))
        #expect(await loops[0].registrationCount == 0)
        #expect(await loops[1].registrationCount == 1)
        for loop in loops {
            loop.stop()
            await loop.join()
        }
        #expect(try client.receiveAll().isEmpty)
    }

    @Test func `a descriptor that cannot be watched is refused, and its slot used again`()
        async throws
    {
        let loop = try EventLoop(index: 0)
        try loop.start()
        try await loop.perform { loop throws in
            let directory = try loop.system.files.openDirectory("/")
            #expect(throws: SystemError(.epollControl, .notPermitted)) {
                try loop.add(directory, interest: .read, handler: Events { _ in })
            }
            #expect(loop.registrationCount == 0)
            let listener = try Listener(host: "127.0.0.1", port: 0)
            let registration = try loop.add(
                listener.descriptor, interest: .read, handler: Events { _ in })
            #expect(registration.slot == 0)
        }
        loop.stop()
        await loop.join()
    }

    @Test func `the end of the peer is told without reading when asked for`() async throws {
        let loop = try EventLoop(index: 0)
        let listener = try Listener(host: "127.0.0.1", port: 0)
        let client = try BlockingConnection(port: listener.port)
        try client.shutdownWrite()
        try loop.start()
        let events: Readiness = await withCheckedContinuation { continuation in
            loop.submit { loop in
                guard case .accepted(let descriptor, _) = listener.accept(loop.system) else {
                    return continuation.resume(returning: [])
                }
                let group = Single(descriptor) { continuation.resume(returning: $0) }
                group.add(interest: .peerClosed, on: loop)
            }
        }
        #expect(events == .peerClosed)
        loop.stop()
        await loop.join()
    }
}

/// Calls a closure with the events.
private final class Events: ReadinessHandler {
    private let body: (Readiness) -> Void

    init(_ body: @escaping (Readiness) -> Void) {
        self.body = body
    }

    func ready(_ events: Readiness, on loop: isolated EventLoop) {
        body(events)
    }
}

/// Calls a closure at the first event.
private final class Once: ReadinessHandler {
    private let body: () -> Void
    var registration: Registration?

    init(_ body: @escaping () -> Void) { self.body = body }

    func ready(_ events: Readiness, on loop: isolated EventLoop) {
        if let registration { loop.remove(registration) }
        body()
    }
}

/// Connections that all end with the first event of any.
private final class Group {
    private var members: [Single] = []
    private var eventCount = 0
    private let ended: @Sendable (Int) -> Void

    init(ended: @escaping @Sendable (Int) -> Void) {
        self.ended = ended
    }

    func adopt(_ descriptor: consuming Descriptor, on loop: isolated EventLoop) {
        let member = Single(descriptor) { _ in }
        member.group = self
        members.append(member)
        member.add(interest: .read, on: loop)
    }

    func removeAll(on loop: isolated EventLoop) {
        eventCount += 1
        for member in members { member.remove(on: loop) }
        members = []
        loop.submit { [ended, eventCount] _ in ended(eventCount) }
    }
}

/// One descriptor whose first event is told.
private final class Single: ReadinessHandler {
    private var descriptor: Descriptor
    private var registration: Registration?
    private var told: ((Readiness) -> Void)?
    var group: Group?

    init(_ descriptor: consuming Descriptor, told: @escaping (Readiness) -> Void) {
        self.descriptor = descriptor
        self.told = told
    }

    func add(interest: Readiness, on loop: isolated EventLoop) {
        registration = try? loop.add(descriptor, interest: interest, handler: self)
    }

    func remove(on loop: isolated EventLoop) {
        guard let registration else { return }
        self.registration = nil
        loop.remove(registration, closing: descriptor.take())
    }

    func ready(_ events: Readiness, on loop: isolated EventLoop) {
        told.take()?(events)
        if let group { group.removeAll(on: loop) } else { remove(on: loop) }
    }
}

/// A descriptor between two loops.
private final class Moving: Sendable {
    let descriptor: Mutex<Descriptor>

    init(_ descriptor: consuming Descriptor) { self.descriptor = Mutex(descriptor) }
}

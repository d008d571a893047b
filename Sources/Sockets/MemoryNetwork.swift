internal import Glibc

/// A network in the memory of this process: tests connect to a server through it, without sockets.
///
///     let network = MemoryNetwork()
///     let listener = Listener(network)        // a server listens
///     let client = try network.connect()      // as `BlockingConnection(port:)` does
///
/// A loop, a descriptor and the system calls take the ends of its connections like those of the
/// kernel's. Their numbers begin where no descriptor of the kernel comes to. Fault plans count for
/// what moves bytes and for accepting; watching an end cannot fail.
package final class MemoryNetwork: Sendable {
    /// The least number of an end.
    @usableFromInline static var firstNumber: Int32 { 1 << 30 }

    /// The ends of all networks, as the kernel has one table of descriptors.
    private struct Table {
        enum End {
            case listener(MemoryNetwork)
            case connection(MemoryLink)
        }

        var ends: [Int32: End] = [:]
        var nextNumber = MemoryNetwork.firstNumber
    }

    private struct State {
        var number: Int32?
        var waiting: [MemoryLink] = []
        var watches: [MemoryWatch] = []
        var connectionCount = 0
    }

    private static let table = Lock(Table())
    private let state = Lock(State())

    /// A network on which nobody listens.
    package init() {}

    /// The address of a listener, whose port is no port of the machine.
    static let address = SocketAddress(host: IPAddress(v4: 0x7F00_0001), port: 1)

    /// The number stands for an end in memory.
    @inline(__always)
    static func owns(_ number: Int32) -> Bool {
        number >= firstNumber
    }

    // MARK: Clients

    /// Connects to the listener.
    package func connect() throws(SystemError) -> MemoryConnection {
        let link = MemoryLink()
        let watch = state.withLock { state -> MemoryWatch?? in
            guard state.number != nil else { return .none }
            state.waiting.append(link)
            state.connectionCount += 1
            guard !state.watches.isEmpty else { return .some(nil) }
            return state.watches[state.connectionCount % state.watches.count]
        }
        guard let watch else {
            throw SystemError(.connect, .connectionRefused, subject: "a network in memory")
        }
        watch?.tell([.readable])
        return MemoryConnection(link)
    }

    // MARK: The listener

    /// Makes the listener's end.
    func listen() -> Descriptor {
        let number = Self.insert(.listener(self))
        state.withLock { $0.number = number }
        return Descriptor(owning: number)
    }

    /// Takes a connection that waits: its number, or -1 with `errno` set.
    static func accept(_ number: Int32) -> Int {
        guard case .listener(let network) = end(number) else { return failure(EBADF) }
        let link = network.state.withLock { state in
            state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        guard let link else { return failure(EAGAIN) }
        return Int(insert(.connection(link)))
    }

    private func watch(_ watch: MemoryWatch, isOn: Bool) {
        let mustAccept = state.withLock { state in
            state.watches.removeAll { $0.loop === watch.loop }
            if isOn { state.watches.append(watch) }
            return isOn && !state.waiting.isEmpty
        }
        if mustAccept { watch.tell([.readable]) }
    }

    private func closeListener(_ number: Int32) {
        let waiting = state.withLock { state -> [MemoryLink] in
            // Another one may listen already.
            guard state.number == number else { return [] }
            defer { state = State() }
            return state.waiting
        }
        for link in waiting { link.closeServer() }
    }

    // MARK: What the system calls of a server do

    /// Receives into raw memory: the number of bytes, 0 at the end, or -1 with `errno` set.
    static func receive(_ number: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        guard let link = link(number), let buffer = unsafe buffer else { return failure(EBADF) }
        switch link.take(upTo: count) {
        case .success(let bytes):
            unsafe bytes.withUnsafeBytes {
                guard let base = $0.baseAddress else { return }
                unsafe buffer.copyMemory(from: base, byteCount: $0.count)
            }
            return bytes.count
        case .failure(let error): return failure(error.code.rawValue)
        }
    }

    /// Sends from raw memory: the number of bytes, or -1 with `errno` set.
    static func send(_ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        guard let link = link(number) else { return failure(EBADF) }
        let offered = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
        switch unsafe link.give(offered) {
        case .success(let count): return count
        case .failure(let error): return failure(error.code.rawValue)
        }
    }

    /// Sends from several places: the number of bytes, or -1 with `errno` set.
    static func send(_ number: Int32, _ message: msghdr) -> Int {
        var sent = 0
        for position in 0..<Int(unsafe message.msg_iovlen) {
            guard let vector = unsafe message.msg_iov?[position] else { break }
            let count = unsafe send(number, vector.iov_base, vector.iov_len)
            guard count >= 0 else { return sent > 0 ? sent : count }
            sent += count
            guard unsafe count == vector.iov_len else { break }
        }
        return sent
    }

    /// Sends a part of a file: the number of bytes, 0 at the end of the file, or -1 with `errno`.
    static func sendFile(
        _ number: Int32, _ file: Int32, _ offset: inout off_t, _ count: Int
    ) -> Int {
        guard let link = link(number) else { return failure(EBADF) }
        let room = min(count, link.room)
        guard room > 0 else { return failure(EAGAIN) }
        var bytes = [UInt8](repeating: 0, count: room)
        let read = unsafe pread(file, &bytes, room, offset)
        guard read > 0 else { return read }
        let sent = unsafe bytes.withUnsafeBytes { unsafe send(number, $0.baseAddress, read) }
        if sent > 0 { offset += off_t(sent) }
        return sent
    }

    /// Ends the server's side.
    static func shutdownWrite(_ number: Int32) -> Int {
        guard let link = link(number) else { return failure(EBADF) }
        link.endServer()
        return 0
    }

    /// Closes an end.
    static func close(_ number: Int32) {
        switch table.withLock({ $0.ends.removeValue(forKey: number) }) {
        case .listener(let network): network.closeListener(number)
        case .connection(let link): link.closeServer()
        case nil: preconditionFailure("A descriptor has one owner, yet another closed it.")
        }
    }

    /// Has a loop watch an end, differently from before, or, without an interest, no longer.
    static func watch(
        _ number: Int32, _ interest: Interest?, userData: UInt64, on loop: EventLoop
    ) {
        let watch = MemoryWatch(loop: loop, userData: userData, interest: interest ?? [])
        switch end(number) {
        case .listener(let network): network.watch(watch, isOn: interest != nil)
        case .connection(let link): link.watch(interest == nil ? nil : watch)
        case nil: preconditionFailure("A descriptor that is watched is open.")
        }
    }

    // MARK: The table

    private static func insert(_ end: Table.End) -> Int32 {
        table.withLock { table in
            let number = table.nextNumber
            table.nextNumber += 1
            table.ends[number] = end
            return number
        }
    }

    private static func end(_ number: Int32) -> Table.End? {
        table.withLock { $0.ends[number] }
    }

    private static func link(_ number: Int32) -> MemoryLink? {
        guard case .connection(let link) = end(number) else { return nil }
        return link
    }

    private static func failure(_ code: Int32) -> Int {
        errno = code
        return -1
    }
}

/// A loop that watches an end in memory.
struct MemoryWatch: Sendable {
    let loop: EventLoop
    let userData: UInt64
    let interest: Interest

    /// Tells the loop, in its next turn.
    func tell(_ events: Readiness) {
        let registration = Registration(userData: userData)
        loop.submit { $0.deliver(events, to: registration) }
    }
}

internal import Glibc

/// A connection in memory: the bytes on their way in both directions, and the ends of both sides,
/// nearly as TCP has them: a client still gets all that was sent before a reset.
final class MemoryLink: Sendable {
    /// The most bytes on their way to a server, and to a client that says nothing else.
    static let defaultCapacity = 256 * 1024

    private struct State {
        var toServer: [UInt8] = []
        var toClient: [UInt8] = []
        var clientCapacity = MemoryLink.defaultCapacity
        /// The client sends no more.
        var clientHasEnded = false
        /// The client is gone: what is sent to it leads to a reset.
        var clientIsGone = false
        /// The server sends no more.
        var serverHasEnded = false
        /// The server has closed.
        var serverIsGone = false
        /// The connection is lost for both.
        var isReset = false
        var watch: MemoryWatch?
        /// The loop is about to look.
        var isTold = false

        var room: Int { max(0, clientCapacity - toClient.count) }

        /// The events that the loop waits for and that have come true.
        var readiness: Readiness {
            guard let interest = watch?.interest else { return [] }
            var events: Readiness = []
            if isReset { events.formUnion([.failed, .hangUp]) }
            if interest.contains(.read), !toServer.isEmpty || clientHasEnded {
                events.insert(.readable)
            }
            // As TCP: a third of the room has to be free.
            if interest.contains(.write), room * 3 > clientCapacity { events.insert(.writable) }
            if interest.contains(.peerClosed), clientHasEnded { events.insert(.peerClosed) }
            return events
        }
    }

    private let state = Monitor(State())

    // MARK: The server's side

    /// The number of bytes that there is room for on the way to the client.
    var room: Int { state.withLock { $0.room } }

    /// Takes bytes that have come from the client; none at the end.
    func take(upTo count: Int) -> Result<[UInt8], SystemError> {
        change { state in
            if state.isReset { return .failure(SystemError(.receive, .connectionReset)) }
            if state.toServer.isEmpty {
                return state.clientHasEnded
                    ? .success([]) : .failure(SystemError(.receive, .wouldBlock))
            }
            let taken = Array(state.toServer.prefix(count))
            state.toServer.removeFirst(taken.count)
            return .success(taken)
        }
    }

    /// Gives bytes to the client, as many as there is room for.
    func give(_ bytes: UnsafeRawBufferPointer) -> Result<Int, SystemError> {
        change { state in
            if state.isReset { return .failure(SystemError(.send, .connectionReset)) }
            if state.serverHasEnded { return .failure(SystemError(.send, .brokenPipe)) }
            if state.clientIsGone {
                state.isReset = true
                return .success(bytes.count)
            }
            guard state.room > 0 else { return .failure(SystemError(.send, .wouldBlock)) }
            let count = min(bytes.count, state.room)
            unsafe state.toClient.append(
                contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            return .success(count)
        }
    }

    func endServer() {
        change { $0.serverHasEnded = true }
    }

    /// Closes the server's end. Bytes that it has not read reset the connection.
    func closeServer() {
        change { state in
            if !state.toServer.isEmpty { state.isReset = true }
            state.serverHasEnded = true
            state.serverIsGone = true
            state.watch = nil
        }
    }

    /// Has a loop told what comes true; nil for none.
    func watch(_ watch: MemoryWatch?) {
        change { state in
            if state.watch?.userData != watch?.userData || state.watch?.loop !== watch?.loop {
                state.isTold = false
            }
            state.watch = watch
        }
    }

    // MARK: The client's side

    /// Sends all bytes, waiting for room.
    func send(_ bytes: [UInt8]) throws(SystemError) {
        var sent = 0
        while sent < bytes.count {
            let rest = bytes[sent...]
            let result = state.wait { state -> Result<Int, SystemError>? in
                if state.isReset { return .failure(SystemError(.send, .connectionReset)) }
                if state.serverIsGone { return .failure(SystemError(.send, .brokenPipe)) }
                let count = min(rest.count, Self.defaultCapacity - state.toServer.count)
                guard count > 0 else { return nil }
                state.toServer += rest.prefix(count)
                return .success(count)
            }
            change { _ in }
            switch result {
            case .success(let count): sent += count
            case .failure(let error): throw error
            }
        }
    }

    /// Takes what has come, at most `limit` bytes, waiting until `deadline`; none at the end.
    func receive(limit: Int, until deadline: Instant) throws(SystemError) -> [UInt8] {
        let result = state.wait(until: deadline) { state -> Result<[UInt8], SystemError>? in
            if !state.toClient.isEmpty {
                let taken = Array(state.toClient.prefix(limit))
                state.toClient.removeFirst(taken.count)
                return .success(taken)
            }
            if state.isReset { return .failure(SystemError(.receive, .connectionReset)) }
            return state.serverHasEnded ? .success([]) : nil
        }
        change { _ in }
        switch result {
        case .success(let bytes): return bytes
        case .failure(let error): throw error
        case nil: throw SystemError(.receive, .timedOut)
        }
    }

    func endClient() {
        change { $0.clientHasEnded = true }
    }

    func limitClient(to byteCount: Int) {
        change { $0.clientCapacity = byteCount }
    }

    /// The client goes: in order, or, where bytes for it are left or it wants that, with a reset.
    func closeClient(resetting: Bool) {
        change { state in
            state.clientHasEnded = true
            state.clientIsGone = true
            if resetting || !state.toClient.isEmpty { state.isReset = true }
        }
    }

    // MARK: Both

    /// Changes the state, wakes those who wait for that, and has the loop look.
    private func change<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, watch) = state.withLock { state in
            let result = body(&state)
            let mustTell = !state.isTold && !state.readiness.isEmpty
            if mustTell { state.isTold = true }
            return (result, mustTell ? state.watch : nil)
        }
        state.wakeAll()
        if let watch { watch.loop.submit { [self] loop in look(for: watch, on: loop) } }
        return result
    }

    /// Delivers what is true now, again in the next turn for as long as it is.
    private func look(for watch: MemoryWatch, on loop: isolated EventLoop) {
        let events = state.withLock { state -> Readiness in
            guard state.watch?.userData == watch.userData, state.watch?.loop === watch.loop else {
                return []
            }
            state.isTold = false
            return state.readiness
        }
        if !events.isEmpty { loop.deliver(events, to: Registration(userData: watch.userData)) }
        change { _ in }
    }
}

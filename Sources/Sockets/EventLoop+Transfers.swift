extension EventLoop {
    /// Makes the sends of a batch by one system call, as `LoopRing` says; `batch` then knows what
    /// each came to.
    package func send(_ batch: inout SendBatch) {
        guard batch.count > 0 else { return }
        let areMade = ring.use(for: .sendTogether, system) { batch.send(through: $0, system) }
        if areMade { batchedSendCount += batch.count }
    }

    /// Receives once, up to 64 KiB, into memory that all connections of the loop share; `lend`
    /// then shows what came.
    ///
    /// A handler that receives here does so in each of its events with `.readable`: what came may
    /// have been received together with others' before.
    @inline(__always)
    package func receive(from descriptor: borrowing Descriptor) -> IOResult {
        let result = input.receive(from: descriptor, system)
        if case .bytes(let count) = result { noteReceived(count, from: descriptor.rawValue) }
        return result
    }

    /// Receives as above, and lends what came to `body`, which is called only for `.bytes`.
    package func receive(
        from descriptor: borrowing Descriptor, _ body: (Span<UInt8>) -> Void
    ) -> IOResult {
        let result = receive(from: descriptor)
        if case .bytes = result { lend(body) }
        return result
    }

    /// Lends the bytes that the last receive has brought. They are gone when `body` returns: it
    /// copies what it keeps, and must not receive again itself.
    @inline(__always)
    package func lend(_ body: (Span<UInt8>) -> Void) {
        input.lend(body)
    }

    /// A socket that has given little is received from ahead of its next event.
    private func noteReceived(_ count: Int, from number: Int32) {
        guard input.leastBatchCount != nil, let position = position(of: delivered),
            slots[position].number == number
        else { return }
        let isSmall = count < ReceiveBatch.byteCount
        if slots[position].isReceivedAhead != isSmall { slots[position].isReceivedAhead = isSmall }
    }

    /// Receives together from those sockets with an event that are received from ahead of it, if
    /// they are enough for that.
    func receiveAhead(_ events: Range<Int>) {
        let batch = input.batch
        batch.removeAll()
        guard ring.failure == nil, let least = input.leastBatchCount, events.count >= least else {
            return
        }
        for position in events {
            let (readiness, owner) = event(at: position)
            guard readiness.contains(.readable), readiness.isDisjoint(with: [.failed, .hangUp]),
                let place = self.position(of: owner), slots[place].isReceivedAhead
            else { continue }
            batch.add(slots[place].number, of: owner)
        }
        guard batch.count >= max(least, 1) else { return batch.removeAll() }
        let areMade = ring.use(for: .receiveTogether, system) { batch.receive(through: $0, system) }
        if areMade { batchedReceiveCount += batch.count }
    }
}

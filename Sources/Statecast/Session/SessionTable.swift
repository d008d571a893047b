import HTTPMessages

/// The sessions of one application on one loop, found by the bytes of a request.
struct SessionTable {
    /// Chains of sessions, linked by `next`; which one by the upper half of the hash, as the lower
    /// one has chosen the loop. As many as a power of two.
    private var chains: [Session?] = [nil]
    /// How many there are.
    private(set) var count = 0

    func find(_ id: Slice, _ hash: UInt64, in bytes: Span<UInt8>) -> Session? {
        var candidate = chains[index(hash)]
        while let session = candidate {
            if session.hash == hash, isEqual(session.id, id, in: bytes) { return session }
            candidate = session.next
        }
        return nil
    }

    func find(_ id: SessionID, _ hash: UInt64) -> Session? {
        var candidate = chains[index(hash)]
        while let session = candidate {
            if session.hash == hash, session.id == id { return session }
            candidate = session.next
        }
        return nil
    }

    mutating func insert(_ session: Session) {
        if count == chains.count { grow() }
        link(session)
        count += 1
    }

    mutating func remove(_ session: Session) {
        let index = index(session.hash)
        guard chains[index] !== session else {
            chains[index] = session.next.take()
            count -= 1
            return
        }
        var candidate = chains[index]
        while let current = candidate {
            candidate = current.next
            guard candidate === session else { continue }
            current.next = session.next.take()
            count -= 1
            return
        }
    }

    private mutating func grow() {
        let old = chains
        chains = Array(repeating: nil, count: old.count * 2)
        for start in old {
            var candidate = start
            while let session = candidate {
                candidate = session.next
                link(session)
            }
        }
    }

    private mutating func link(_ session: Session) {
        let index = index(session.hash)
        session.next = chains[index]
        chains[index] = session
    }

    @inline(__always)
    private func index(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash >> 32) & (chains.count - 1)
    }

    /// How many chains the sessions stand in.
    var chainCount: Int { chains.count }

    /// Visits the sessions of some chains.
    func forEach(inChains range: Range<Int>, _ body: (Session) -> Void) {
        for start in chains[range] {
            var candidate = start
            while let session = candidate {
                candidate = session.next
                body(session)
            }
        }
    }

    @inline(__always)
    private func isEqual(_ id: SessionID, _ slice: Slice, in bytes: Span<UInt8>) -> Bool {
        let text = id.description.utf8Span.span
        guard text.count == Int(slice.length) else { return false }
        let start = slice.range.lowerBound
        for index in text.indices {
            guard bytes[start + index] == text[index] else { return false }
        }
        return true
    }
}

/// The ids of sessions that have ended, for a while.
struct EndedSessions {
    private var endedAt: [String: Timestamp] = [:]
    private var order: [String] = []

    mutating func insert(_ name: String, at now: Timestamp, _ limits: SessionLimits) {
        if endedAt.updateValue(now, forKey: name) == nil { order.append(name) }
        if order.count > limits.endedCount {
            let dropped = order.removeFirst()
            endedAt[dropped] = nil
        }
    }

    func contains(_ name: String, at now: Timestamp, _ limits: SessionLimits) -> Bool {
        guard let ended = endedAt[name] else { return false }
        let (seconds, _) = limits.endedDuration.components
        return now.milliseconds - ended.milliseconds < seconds * 1000
    }
}

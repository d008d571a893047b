import HTTPMessages

/// The sessions of one application on one loop, found by the bytes of a request.
struct SessionTable {
    private var first: [UInt64: Session] = [:]
    /// How many there are.
    private(set) var count = 0

    func find(_ id: Slice, _ hash: UInt64, in bytes: Span<UInt8>) -> Session? {
        var candidate = first[hash]
        while let session = candidate {
            if isEqual(session.key, id, in: bytes) { return session }
            candidate = session.next
        }
        return nil
    }

    func find(_ key: [UInt8], _ hash: UInt64) -> Session? {
        var candidate = first[hash]
        while let session = candidate {
            if session.key == key { return session }
            candidate = session.next
        }
        return nil
    }

    mutating func insert(_ session: Session) {
        session.next = first[session.hash]
        first[session.hash] = session
        count += 1
    }

    mutating func remove(_ session: Session) {
        var kept: Session?
        var candidate = first[session.hash]
        var isFound = false
        while let current = candidate {
            candidate = current.next
            if current === session {
                isFound = true
                continue
            }
            current.next = kept
            kept = current
        }
        session.next = nil
        first[session.hash] = kept
        if isFound { count -= 1 }
    }

    func forEach(_ body: (Session) -> Void) {
        for start in first.values {
            var candidate: Session? = start
            while let session = candidate {
                candidate = session.next
                body(session)
            }
        }
    }

    @inline(__always)
    private func isEqual(_ key: [UInt8], _ id: Slice, in bytes: Span<UInt8>) -> Bool {
        guard key.count == Int(id.length) else { return false }
        var index = id.range.lowerBound
        for byte in key {
            guard bytes[index] == byte else { return false }
            index += 1
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

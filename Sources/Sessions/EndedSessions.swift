package import Redux

/// The ids of sessions that have ended, for a while.
package struct EndedSessions {
    private var endedAt: [String: Timestamp] = [:]
    private var order: [String] = []

    package init() {}

    package mutating func insert(_ name: String, at now: Timestamp, _ limits: SessionLimits) {
        if endedAt.updateValue(now, forKey: name) == nil { order.append(name) }
        if order.count > limits.endedCount {
            let dropped = order.removeFirst()
            endedAt[dropped] = nil
        }
    }

    package func contains(_ name: String, at now: Timestamp, _ limits: SessionLimits) -> Bool {
        guard let ended = endedAt[name] else { return false }
        let (seconds, _) = limits.endedDuration.components
        return now.milliseconds - ended.milliseconds < seconds * 1000
    }
}

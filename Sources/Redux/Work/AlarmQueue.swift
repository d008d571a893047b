/// Alarms in the order of their times.
struct AlarmQueue: Sendable {
    private struct Alarm: Comparable {
        var due: Timestamp
        var slot: UInt64

        static func < (left: Alarm, right: Alarm) -> Bool {
            (left.due, left.slot) < (right.due, right.slot)
        }
    }

    /// The latest first: the earliest one is removed from the end.
    private var alarms: [Alarm] = []

    var first: (due: Timestamp, slot: UInt64)? {
        alarms.last.map { ($0.due, $0.slot) }
    }

    mutating func insert(_ slot: UInt64, at due: Timestamp) {
        let alarm = Alarm(due: due, slot: slot)
        alarms.insert(alarm, at: index(of: alarm))
    }

    mutating func remove(_ slot: UInt64, at due: Timestamp) {
        let alarm = Alarm(due: due, slot: slot)
        let index = index(of: alarm)
        precondition(
            index < alarms.count && alarms[index] == alarm, "An alarm is removed at its time.")
        alarms.remove(at: index)
    }

    /// The place of the first alarm that is not later.
    private func index(of alarm: Alarm) -> Int {
        var (low, high) = (0, alarms.count)
        while low < high {
            let middle = (low + high) / 2
            if alarms[middle] > alarm { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

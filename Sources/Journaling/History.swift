package import Redux

/// The bounds of one reading: the first entry is given whatever it takes.
package struct ReadLimit: Sendable, Hashable {
    package var entryCount: Int
    package var byteCount: Int

    package init(entryCount: Int, byteCount: Int = 1 << 20) {
        self.entryCount = entryCount
        self.byteCount = byteCount
    }
}

/// A session in a list of all.
package struct SessionSummary: Sendable, Hashable {
    package var name: SessionName
    package var created: Timestamp
    /// The version of its last entry; of one that is awake it may be an older one.
    package var version: UInt64
    /// The time of its last entry; the time at which it was made where there is none.
    package var lastTime: Timestamp
    /// The earliest alarm.
    package var alarm: Timestamp?

    package init(
        name: SessionName, created: Timestamp, version: UInt64, lastTime: Timestamp,
        alarm: Timestamp?
    ) {
        self.name = name
        self.created = created
        self.version = version
        self.lastTime = lastTime
        self.alarm = alarm
    }
}

/// The sessions whose alarms are due, and the time of the earliest alarm that is not among them.
package typealias DueAlarms = (due: [SessionName], next: Timestamp?)

public import Redux

/// The bounds of one reading: the first entry is given whatever it takes.
public struct ReadLimit: Sendable, Hashable {
    public var entryCount: Int
    public var byteCount: Int

    public init(entryCount: Int, byteCount: Int = 1 << 20) {
        self.entryCount = entryCount
        self.byteCount = byteCount
    }
}

/// A session in a list of all.
public struct SessionSummary: Sendable, Hashable {
    public var name: SessionName
    public var created: Timestamp
    /// The version of its last entry; of one that is awake it may be an older one.
    public var version: UInt64
    /// The time of its last entry; the time at which it was made where there is none.
    public var lastTime: Timestamp
    /// The earliest alarm.
    public var alarm: Timestamp?

    public init(
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

/// The alarms that are due.
public struct DueAlarms: Sendable, Hashable {
    public var due: [SessionName]
    /// The time of the earliest alarm that is not among them.
    public var next: Timestamp?

    public init(due: [SessionName], next: Timestamp?) {
        self.due = due
        self.next = next
    }
}

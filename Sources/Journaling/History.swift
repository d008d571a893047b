public import Redux

/// The bounds of one reading: the first entry is given whatever it takes.
public struct ReadLimit: Sendable, Hashable {
    /// The most entries.
    public var entryCount: Int
    /// The most bytes, or the bytes that it takes, about.
    public var byteCount: Int

    /// Says all of it.
    public init(entryCount: Int, byteCount: Int = 1 << 20) {
        self.entryCount = entryCount
        self.byteCount = byteCount
    }
}

/// A session in a list of all.
public struct SessionSummary: Sendable, Hashable {
    /// The name.
    public var name: SessionName
    /// The first part of its tokens.
    public var epoch: String
    /// The time at which it was made.
    public var created: Timestamp
    /// The version of its last entry; of one that is awake it may be an older one.
    public var version: UInt64
    /// The time of its last entry; the time at which it was made where there is none.
    public var lastTime: Timestamp
    /// The earliest alarm.
    public var alarm: Timestamp?
    /// The print of the client that has made it; 0: nobody's.
    public var maker: UInt16

    /// Says all of it.
    public init(
        name: SessionName, epoch: String, created: Timestamp, version: UInt64,
        lastTime: Timestamp, alarm: Timestamp?, maker: UInt16 = 0
    ) {
        self.name = name
        self.epoch = epoch
        self.maker = maker
        self.created = created
        self.version = version
        self.lastTime = lastTime
        self.alarm = alarm
    }
}

/// The sessions whose alarms are due, and the time of the earliest alarm that is not among them.
public typealias DueAlarms = (due: [SessionName], next: Timestamp?)

extension [SessionSummary] {
    /// Those of them whose alarms are due, so many at most.
    ///
    /// Expects those whose alarms are the earliest of all, in their order, and one more than are wanted.
    package func due(until time: Timestamp, limit: Int) -> DueAlarms {
        let due = prefix(limit).prefix { $0.alarm.map { $0 <= time } ?? false }
        return (due.map(\.name), dropFirst(due.count).first?.alarm)
    }
}

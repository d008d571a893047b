/// The memory of a piece of work that outlives the session in memory.
@usableFromInline
package struct WorkRecord: Sendable, Hashable {
    /// The full name, as text.
    package var name: String
    /// The version that wanted it first.
    package var version: UInt64
    /// That entry's token.
    package var token: String
    /// The number of times that an alarm has come without effect.
    package var alarmCount: Int
    /// It has ended, and is still wanted: after a sleep, not after a crash, it does not start again.
    package var hasEnded: Bool

    /// A record.
    package init(
        name: String, version: UInt64, token: String, alarmCount: Int = 0, hasEnded: Bool = false
    ) {
        self.name = name
        self.version = version
        self.token = token
        self.alarmCount = alarmCount
        self.hasEnded = hasEnded
    }
}

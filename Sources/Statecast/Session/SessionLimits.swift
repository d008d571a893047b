/// Every bound of the sessions of one server (protocol §5).
public struct SessionLimits: Sendable, Hashable {
    /// How many actions one batch holds.
    public var batchCount = 1_000
    /// How large an encoded state may become: an action that would leave a larger one is refused.
    /// A state that is found an eighth larger when it is read freezes its session.
    public var stateByteCount = 16 * 1024 * 1024
    /// How long a frozen session is kept without watchers and requests.
    public var frozenDuration = Duration.seconds(600)
    /// How many sessions one server keeps. At the limit, sessions go that were never posted to.
    public var sessionCount = 100_000
    /// The share of these, 0 to 1, that one client may have made: a principal, or where nothing
    /// asks who it is an IPv4 address or IPv6 /64 network. Everybody may make 16.
    public var sessionShare = 0.25
    /// At the limit a session is kept so long at least, although nothing was posted to it.
    public var unpostedDuration = Duration.seconds(600)
    /// How long a session in memory is kept without anybody asking for it.
    public var idleDuration = Duration.seconds(24 * 3600)
    /// How many streams watch one session.
    public var watcherCount = 10_000
    /// How many answers of one session are held at once: long-polls and settling actions.
    public var waiterCount = 10_000
    /// How many selections and views of one session are watched at once.
    public var projectionCount = 1_000
    /// The longest `wait` and `settle`.
    public var waitDuration = Duration.seconds(60)
    /// A stream says something after so long a silence.
    public var pingDuration = Duration.seconds(15)
    /// A stream is ended after so long, give or take a fifth, and its client connects again.
    public var streamAge = Duration.seconds(600)
    /// What a stream may have waiting before it skips to the newest state.
    public var watcherByteCount = 64 * 1024
    /// For how long an ended session's id answers 410.
    public var endedDuration = Duration.seconds(3600)
    /// How many such ids are remembered.
    public var endedCount = 10_000
    /// The most ended ids on one loop that applications are still forgetting.
    public var forgettingCount = 10_000
    /// The longest time that DELETE waits for the application to forget.
    public var forgettingDuration = Duration.seconds(10)
    /// How many idempotency keys a session remembers, and four times as many as one principal may
    /// have there. Above either, requests with a new key are refused.
    public var idempotencyKeyCount = 100_000
    /// The memory for the outcomes of batches that have a key, in bytes; above it, requests with a
    /// new key are refused.
    public var idempotencyRecordByteCount = 4 * 1024 * 1024
    /// For how long a key is remembered, give or take a minute more.
    public var idempotencyDuration = Duration.seconds(24 * 3600)

    /// The defaults.
    public init() {}
}

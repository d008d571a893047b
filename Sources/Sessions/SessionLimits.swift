/// Every bound of the sessions of one server.
public struct SessionLimits: Sendable, Hashable {
    /// The most actions in one batch.
    public var batchCount = 1_000
    /// The most bytes of an encoded state: an action that would leave a larger one is refused.
    /// A state that is found an eighth larger when it is read freezes its session.
    public var stateByteCount = 16 * 1024 * 1024
    /// The most actions that clients send to the sessions of one application in a second, each client by
    /// itself; nil: as many as they like. As in ``RateLimit``, and whatever the application says.
    public var clientActionsPerSecond: Int?
    /// The most actions that all clients together send to one session in a second.
    public var sessionActionsPerSecond: Int?
    /// The time that a frozen session is kept without watchers and requests.
    public var frozenDuration = Duration.seconds(600)
    /// The most sessions that one server keeps. At the limit, sessions go that clients have made and never
    /// posted to.
    public var sessionCount = 100_000
    /// The share of these, 0 to 1, that one client may have made: a principal, or where nothing
    /// asks for that an IPv4 /24 or IPv6 /64 network; and the share of a session's selections and
    /// idempotency keys that one may have. Each may have 16.
    public var sessionShare = 0.25
    /// The share, 0 to 1, of the sign-ins that people have room for, which one client may have made; 16 in
    /// any case.
    public var signInShare = 0.25
    /// The most sessions that a journal has, asleep or awake.
    public var keptCount = 10_000_000
    /// At the limit a session is kept so long at least, although nothing was posted to it.
    public var unpostedDuration = Duration.seconds(600)
    /// The time that a session in memory is kept without a request, and one in a journal that a client has
    /// made and nobody posted to.
    public var idleDuration = Duration.seconds(24 * 3600)
    /// The time that a session in a journal is kept after its last entry, or its alarm; nil: for ever, which
    /// fills the disk in the end. An application's `lifetime` goes before it.
    public var lifetime: Duration? = .seconds(30 * 24 * 3600)
    /// The most streams that watch one session.
    public var watcherCount = 10_000
    /// The most answers of one session that are held at once: long-polls, settling actions, and what handles
    /// of other servers read.
    public var waiterCount = 10_000
    /// The most selections and views of one session that are watched at once. What is shown to a class
    /// of viewers, who have not chosen it, finds room for as many beside the selections.
    public var projectionCount = 1_000
    /// The longest `wait` and `settle`.
    public var waitDuration = Duration.seconds(60)
    /// A stream says something after so long a silence.
    public var pingDuration = Duration.seconds(15)
    /// Access control is asked about the client of an open stream again after so long; nil: never.
    public var accessCheckDuration: Duration? = .seconds(60)
    /// A stream is ended after so long, give or take a fifth, and its client connects again.
    public var streamAge = Duration.seconds(600)
    /// The most bytes that wait on a stream before it skips to the newest state.
    public var watcherByteCount = 64 * 1024
    /// The memory for the patches of one session, in bytes, shared among what is watched of it. A
    /// client that was away for longer than they reach back is sent a snapshot.
    public var patchByteCount = 256 * 1024
    /// The most entries of one session that are kept in memory for its log, for older versions of
    /// its state and for recordings; the oldest go first.
    public var historyEntryCount = 10_000
    /// The memory for these entries of one session, in bytes. The state that they begin with and the
    /// present one stand beside them, and states in between, which take as much again at most.
    public var historyByteCount = 16 * 1024 * 1024
    /// The most entries of a recording that is posted.
    public var recordingEntryCount = 10_000
    /// The most bytes of it, after its codings are taken off.
    public var recordingByteCount = 32 * 1024 * 1024
    /// The time for which an ended session's id answers 410.
    public var endedDuration = Duration.seconds(3600)
    /// The most such ids that are remembered.
    public var endedCount = 10_000
    /// The most ended ids on one loop that applications are still forgetting.
    public var forgettingCount = 10_000
    /// The longest time that DELETE waits for the application to forget.
    public var forgettingDuration = Duration.seconds(10)
    /// The most idempotency keys that a session remembers, 100,000 at most; `sessionShare` of them may be
    /// one client's. Above either, requests with a new key are refused.
    public var idempotencyKeyCount = 100_000
    /// The memory for the outcomes of batches that have a key, in bytes; above it, requests with a
    /// new key are refused.
    public var idempotencyRecordByteCount = 4 * 1024 * 1024
    /// The time for which a key is remembered, give or take a minute more. Once a session is opened again,
    /// a key older than 24 hours counts only if the journal still has its entries.
    public var idempotencyDuration = Duration.seconds(24 * 3600)

    /// The most uses of session handles that are under way at once in the server's own code, those
    /// that read a sequence of values among them.
    public var callCount = 10_000
    /// The time without a stream after which a principal counts as gone (`SessionFact.watchersChanged`).
    public var absenceDuration = Duration.seconds(10)

    /// The defaults.
    public init() {}
}

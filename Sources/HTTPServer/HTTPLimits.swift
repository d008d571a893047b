package import Sockets

/// Every bound of the server in one place: the cost of one client, and for how long it is borne.
///
/// Durations are measured by the loop's clock and checked by a sweep, so that what is due ends
/// up to a second late, never early.
public struct HTTPLimits: Sendable, Hashable {
    // MARK: A request

    /// The request line and the fields together, in bytes; above it 431.
    public var headByteCount = 32 * 1024
    /// The fields of a head; above it 431.
    public var fieldCount = 100
    /// The request target in bytes; above it 414.
    public var targetByteCount = 8 * 1024
    /// A body in bytes, counted after chunks and content coding are taken off; above it 413.
    public var bodyByteCount = 1024 * 1024
    /// The bytes of pipelined requests that wait behind one that is not answered yet, and the bytes
    /// of answers that wait for the client; above it reading pauses.
    public var pipelinedByteCount = 64 * 1024
    /// The requests of one connection that are answered in a row before those of others are.
    public var pipelinedRequestCount = 64
    /// The bytes of one stream that wait for its client; above it the stream is closed. Sources
    /// keep far below it: this bound holds when one does not.
    public var streamByteCount = 64 * 1024 * 1024
    /// The bytes of one stream that the kernel takes before it has sent them
    /// (`TCP_NOTSENT_LOWAT`): a slow reader's newest event is that far behind at least. An event
    /// that is superseded meanwhile is never sent.
    public var unsentStreamByteCount = 32 * 1024
    /// The requests in a row that are forwarded to one other loop before the connection moves.
    public var forwardsBeforeHandover = 8

    // MARK: Time

    /// From the first byte of a request head to its end; above it 408.
    public var headDuration = Duration.seconds(20)
    /// Between two arrivals of a body's bytes; above it 408.
    public var bodyDuration = Duration.seconds(30)
    /// From the first byte of a request to its last, however it moves; above it 408.
    public var requestDuration = Duration.seconds(300)
    /// The time for which a connection without a request is kept.
    public var idleDuration = Duration.seconds(75)
    /// The time for which answers may wait without one byte being taken; then the connection is
    /// closed.
    public var writeProgressDuration = Duration.seconds(20)
    /// The bytes a second that a client takes at least while something waits for it, on the average
    /// of `leastRateDuration`; one that takes less is closed.
    public var leastBytesPerSecond = 1024
    /// The least rate is measured over this time.
    public var leastRateDuration = Duration.seconds(60)
    /// The age from which a connection is closed after its next answer, give or take `jitter`;
    /// nil for never.
    public var connectionAge: Duration?
    /// The share, 0 to 1, by which ages differ from connection to connection.
    public var jitter = 0.2
    /// The time for which input is still taken and dropped after an error, so that the client can
    /// read the answer before the kernel resets the connection.
    public var lingerDuration = Duration.seconds(2)
    /// As `lingerDuration`, in bytes.
    public var lingerByteCount = 1024 * 1024
    /// The time for which the kernel keeps sent bytes that the client does not acknowledge
    /// (`TCP_USER_TIMEOUT`).
    public var unacknowledgedDuration = Duration.seconds(30)

    // MARK: The server

    /// The stack of each loop's thread, whole pages: what nested states are encoded and decoded
    /// on. 1 MiB is enough for the nesting that is allowed.
    public var stackByteCount = EventLoop.defaultStackByteCount
    /// Open connections; above it accepting pauses, and clients that come wait in the backlog.
    public var connectionCount = 100_000
    /// Open connections of one client, an IPv4 /24 or IPv6 /64 network; above it a connection is closed at
    /// once. Those of a proxy that tells the addresses of its clients count in all alone; the default leaves
    /// room for one that does not.
    public var connectionsPerAddress = 100_000
    /// The time of one turn of a loop; a turn that takes longer is counted, and logged with the
    /// request that took longest. After a fifth of it a connection's further requests wait for the
    /// next turn.
    public var turnDuration = Duration.milliseconds(50)
    /// The connections that one loop accepts in a turn.
    public var acceptsPerTurn = 64
    /// The time for which accepting pauses when no descriptor is left and no connection closes
    /// meanwhile.
    public var acceptPauseDuration = Duration.milliseconds(100)

    /// The memory that all clients together may hold: input that is incomplete, output that finds
    /// no room, states and what is kept beside them. Counted roughly. Beyond it new sessions and
    /// large bodies get 503, from nine tenths on caches go. Nil: half of what the process may have.
    public var memoryByteCount: Int?
    /// The share, 0 to 1, that one client may have of the streams, of the compressed ones, of the routes
    /// that run, and of the memory for what waits to be taken. A client is a principal or, where nothing
    /// asks for that, an IPv4 /24 or IPv6 /64 network. Where memory becomes short, what waits for a client
    /// with more goes first.
    public var clientShare = 0.25
    /// A request up to this size is taken although the server is short of memory.
    public var scarceBodyByteCount = 64 * 1024

    // MARK: Content

    /// Answers below this many bytes are not compressed.
    public var compressionThresholdByteCount = 1024
    /// The streams of the whole server that are compressed at once; those above are sent plain.
    /// Those that are sent the same share a compressor of 27 KiB (`CompressionSettings.stream`).
    public var compressedStreamCount = 1_000
    /// Frames of compressed streams above this many bytes are wrapped without being compressed,
    /// so that no client keeps the loop from the others for long.
    public var compressedFrameByteCount = 256 * 1024
    /// Files up to this size are kept in memory, others are sent from the disk's cache.
    public var cachedFileByteCount = 256 * 1024
    /// All cached files and their compressed forms together.
    public var fileCacheByteCount = 32 * 1024 * 1024

    /// The defaults: made for a server behind a proxy as well as for one on the open network.
    public init() {}
}

extension MemoryBudget {
    /// The budget that the limits of a server give its loops.
    package convenience init(_ limits: HTTPLimits, loopCount: Int) {
        self.init(
            limit: limits.memoryByteCount ?? MachineMemory.byteCount / 2, loopCount: loopCount)
    }
}

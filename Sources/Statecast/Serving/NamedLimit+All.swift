import HTTPServer

extension NamedLimit {
    /// Every bound of connections, requests, answers and sessions, each once.
    package static let all =
        requests + times + connections + memory + content + sessions + watching + routes

    private static let requests = [
        NamedLimit("head-bytes", .bytes(\.limits.headByteCount), "a request line and its fields"),
        NamedLimit(
            "head-fields", .count(\.limits.fieldCount, minimum: 1), "fields of a request head"),
        NamedLimit("target-bytes", .bytes(\.limits.targetByteCount), "a request target"),
        NamedLimit(
            "body-bytes", .bytes(\.limits.bodyByteCount),
            "a request body, after its codings are taken off"),
        NamedLimit(
            "pipelined-bytes", .bytes(\.limits.pipelinedByteCount),
            "requests that wait for an answer, and answers that wait to be sent"),
        NamedLimit(
            "pipelined-requests", .count(\.limits.pipelinedRequestCount, minimum: 1),
            "requests of a connection that are answered in a row"),
        NamedLimit(
            "forwards", .count(\.limits.forwardsBeforeHandover, minimum: 0),
            "requests in a row for another loop before the connection moves there"),
    ]

    private static let times = [
        NamedLimit("head-time", .time(\.limits.headDuration), "a request head, first byte to last"),
        NamedLimit("body-time", .time(\.limits.bodyDuration), "between two arrivals of a body"),
        NamedLimit(
            "request-time", .time(\.limits.requestDuration), "a request, first byte to last"),
        NamedLimit("idle-time", .time(\.limits.idleDuration), "a connection without a request"),
        NamedLimit(
            "write-time", .time(\.limits.writeProgressDuration),
            "what waits for a client that takes nothing"),
        NamedLimit(
            "least-rate", .bytes(\.limits.leastBytesPerSecond),
            "a second, which a client takes at least of what waits for it"),
        NamedLimit(
            "least-rate-time", .time(\.limits.leastRateDuration), "over which that is measured"),
        NamedLimit(
            "connection-age", .timeOrNever(\.limits.connectionAge),
            "a connection, which ends with its next answer then"),
        NamedLimit(
            "jitter", .share(\.limits.jitter), "how much ages of connections and streams differ"),
        NamedLimit(
            "linger-time", .time(\.limits.lingerDuration),
            "input is dropped so long after a refusal"),
        NamedLimit(
            "linger-bytes", .bytes(\.limits.lingerByteCount),
            "input is dropped up to so much after a refusal"),
        NamedLimit(
            "unacknowledged-time", .time(\.limits.unacknowledgedDuration),
            "sent bytes that no client acknowledges (TCP_USER_TIMEOUT)"),
    ]

    private static let connections = [
        NamedLimit(
            "connections", .count(\.limits.connectionCount, minimum: 1),
            "open connections; those above wait in the backlog"),
        NamedLimit(
            "connections-per-address", .count(\.limits.connectionsPerAddress, minimum: 1),
            "open connections of an IPv4 address or IPv6 /64 network"),
        NamedLimit(
            "accepts", .count(\.limits.acceptsPerTurn, minimum: 1),
            "connections that a loop accepts in a turn"),
        NamedLimit(
            "turn-time", .time(\.limits.turnDuration),
            "a turn of a loop; a longer one is logged and counted"),
        NamedLimit(
            "accept-pause", .time(\.limits.acceptPauseDuration),
            "until accepting is tried again without descriptors"),
        NamedLimit("stack-bytes", .pages(\.limits.stackByteCount), "the stack of a loop's thread"),
    ]

    private static let memory = [
        NamedLimit(
            "memory-bytes", .memory(\.limits.memoryByteCount),
            "what all clients hold together; half of what the process may have"),
        NamedLimit(
            "scarce-body-bytes", .bytes(\.limits.scarceBodyByteCount),
            "a request that is taken although memory is short"),
    ]

    private static let content = [
        NamedLimit(
            "stream-bytes", .bytes(\.limits.streamByteCount),
            "what waits in a stream before it is closed"),
        NamedLimit(
            "unsent-stream-bytes", .bytes(\.limits.unsentStreamByteCount),
            "what the kernel takes of a stream before it is sent (TCP_NOTSENT_LOWAT)"),
        NamedLimit(
            "compressed-from-bytes", .bytes(\.limits.compressionThresholdByteCount),
            "answers from so much are compressed"),
        NamedLimit(
            "compressed-streams", .count(\.limits.compressedStreamCount, minimum: 0),
            "streams that are compressed at once, 27 KiB each"),
        NamedLimit(
            "compressed-event-bytes", .bytes(\.limits.compressedFrameByteCount),
            "events of compressed streams above it are not compressed"),
        NamedLimit(
            "cached-file-bytes", .bytes(\.limits.cachedFileByteCount),
            "a file that is kept in memory"),
        NamedLimit(
            "file-cache-bytes", .bytes(\.limits.fileCacheByteCount),
            "all files kept in memory, on each loop"),
    ]

    private static let sessions = [
        NamedLimit(
            "batch-actions", .count(\.sessionLimits.batchCount, minimum: 1), "actions of a batch"),
        NamedLimit(
            "state-bytes", .bytes(\.sessionLimits.stateByteCount),
            "an encoded state"),
        NamedLimit(
            "frozen-time", .time(\.sessionLimits.frozenDuration),
            "a frozen session that nobody asks for"),
        NamedLimit(
            "sessions", .count(\.sessionLimits.sessionCount, minimum: 1), "sessions of the server"),
        NamedLimit(
            "session-share", .share(\.sessionLimits.sessionShare),
            "the sessions of the server that one client may have made"),
        NamedLimit(
            "unposted-time", .time(\.sessionLimits.unpostedDuration),
            "a session that was never posted to, where there is no room for more"),
        NamedLimit(
            "session-idle-time", .time(\.sessionLimits.idleDuration),
            "a session in memory that nobody asks for"),
        NamedLimit(
            "ended-time", .time(\.sessionLimits.endedDuration),
            "the id of an ended session answers 410"),
        NamedLimit(
            "ended-ids", .count(\.sessionLimits.endedCount, minimum: 0), "such ids in all"),
        NamedLimit(
            "forgetting-ids", .count(\.sessionLimits.forgettingCount, minimum: 1),
            "ended ids that applications still forget, on each loop"),
        NamedLimit(
            "forgetting-time", .time(\.sessionLimits.forgettingDuration),
            "a DELETE waits for the application to forget"),
        NamedLimit(
            "idempotency-keys", .count(\.sessionLimits.idempotencyKeyCount, minimum: 1),
            "idempotency keys of a session, a quarter of them for one principal"),
        NamedLimit(
            "idempotency-record-bytes", .bytes(\.sessionLimits.idempotencyRecordByteCount),
            "outcomes of a session's batches that have a key"),
        NamedLimit(
            "idempotency-time", .time(\.sessionLimits.idempotencyDuration),
            "an idempotency key is remembered"),
        NamedLimit(
            "history-entries", .count(\.sessionLimits.historyEntryCount, minimum: 1),
            "entries of a session that are kept in memory for its log"),
        NamedLimit(
            "history-bytes", .bytes(\.sessionLimits.historyByteCount),
            "these entries of a session"),
        NamedLimit(
            "recording-entries", .count(\.sessionLimits.recordingEntryCount, minimum: 1),
            "entries of a recording that is posted"),
        NamedLimit(
            "recording-bytes", .bytes(\.sessionLimits.recordingByteCount),
            "such a recording, after its codings are taken off"),
        NamedLimit(
            "handle-calls", .count(\.sessionLimits.callCount, minimum: 1),
            "uses of session handles under way in the server's own code"),
        NamedLimit(
            "absence-time", .time(\.sessionLimits.absenceDuration),
            "a principal without a stream counts as gone"),
    ]

    private static let routes = [
        NamedLimit(
            "routes-running", .count(\.routeLimits.runningCount, minimum: 1),
            "handlers of the application's own routes that run at once"),
        NamedLimit(
            "route-time", .time(\.routeLimits.duration), "a handler of a route; then 503"),
    ]

    private static let watching = [
        NamedLimit(
            "watchers", .count(\.sessionLimits.watcherCount, minimum: 0), "streams of a session"),
        NamedLimit(
            "waiters", .count(\.sessionLimits.waiterCount, minimum: 0),
            "held answers of a session: long-polls and settling actions"),
        NamedLimit(
            "projections", .count(\.sessionLimits.projectionCount, minimum: 0),
            "selections and views of a session that are watched at once"),
        NamedLimit("wait-time", .time(\.sessionLimits.waitDuration), "wait and settle"),
        NamedLimit(
            "ping-time", .time(\.sessionLimits.pingDuration), "silence of a stream before a ping"),
        NamedLimit(
            "access-check-time", .timeOrNever(\.sessionLimits.accessCheckDuration),
            "until access control is asked about the client of a stream again"),
        NamedLimit(
            "stream-age", .time(\.sessionLimits.streamAge),
            "a stream, which its client then opens again"),
        NamedLimit(
            "patch-bytes", .bytes(\.sessionLimits.patchByteCount),
            "the patches of a session that clients can go on from"),
        NamedLimit(
            "watcher-bytes", .bytes(\.sessionLimits.watcherByteCount),
            "what waits in a stream before states are skipped"),
    ]
}

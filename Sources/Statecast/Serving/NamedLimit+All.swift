import HTTPServer
import Journaling

extension NamedLimit {
    /// Every bound of connections, requests, answers and sessions, each once.
    package static let all = places.map { name, place in
        NamedLimit(name: name, summary: summaries["`\(name)`"] ?? "", place: place)
    }

    /// The article *Limits and configuration*, which is compiled in, says what each of them bounds.
    private static let summaries = Dictionary(
        uniqueKeysWithValues: Article.rows(PackageResources.Limits_and_configuration_md)
            .filter { $0.count == 4 }.map { ($0[0], $0[2]) })

    private static let places: KeyValuePairs<String, Place> = [
        "head-bytes": .bytes(\.limits.headByteCount),
        "head-fields": .count(\.limits.fieldCount, minimum: 1),
        "target-bytes": .bytes(\.limits.targetByteCount),
        "body-bytes": .bytes(\.limits.bodyByteCount),
        "pipelined-bytes": .bytes(\.limits.pipelinedByteCount),
        "pipelined-requests": .count(\.limits.pipelinedRequestCount, minimum: 1),
        "forwards": .count(\.limits.forwardsBeforeHandover, minimum: 0),
        "head-time": .time(\.limits.headDuration),
        "body-time": .time(\.limits.bodyDuration),
        "request-time": .time(\.limits.requestDuration),
        "idle-time": .time(\.limits.idleDuration),
        "write-time": .time(\.limits.writeProgressDuration),
        "least-rate": .bytes(\.limits.leastBytesPerSecond),
        "least-rate-time": .time(\.limits.leastRateDuration),
        "connection-age": .timeOrNever(\.limits.connectionAge),
        "jitter": .share(\.limits.jitter),
        "linger-time": .time(\.limits.lingerDuration),
        "linger-bytes": .bytes(\.limits.lingerByteCount),
        "unacknowledged-time": .time(\.limits.unacknowledgedDuration),
        "connections": .count(\.limits.connectionCount, minimum: 1),
        "connections-per-address": .count(\.limits.connectionsPerAddress, minimum: 1),
        "accepts": .count(\.limits.acceptsPerTurn, minimum: 1),
        "turn-time": .time(\.limits.turnDuration),
        "accept-pause": .time(\.limits.acceptPauseDuration),
        "stack-bytes": .pages(\.limits.stackByteCount),
        "memory-bytes": .memory(\.limits.memoryByteCount),
        "client-share": .share(\.limits.clientShare),
        "scarce-body-bytes": .bytes(\.limits.scarceBodyByteCount),
        "stream-bytes": .bytes(\.limits.streamByteCount),
        "unsent-stream-bytes": .bytes(\.limits.unsentStreamByteCount),
        "compressed-from-bytes": .bytes(\.limits.compressionThresholdByteCount),
        "compressed-streams": .count(\.limits.compressedStreamCount, minimum: 0),
        "compressed-event-bytes": .bytes(\.limits.compressedFrameByteCount),
        "cached-file-bytes": .bytes(\.limits.cachedFileByteCount),
        "file-cache-bytes": .bytes(\.limits.fileCacheByteCount),
        "batch-actions": .count(\.sessionLimits.batchCount, minimum: 1),
        "client-actions": .countOrNone(\.sessionLimits.clientActionsPerSecond),
        "session-actions": .countOrNone(\.sessionLimits.sessionActionsPerSecond),
        "state-bytes": .bytes(\.sessionLimits.stateByteCount),
        "frozen-time": .time(\.sessionLimits.frozenDuration),
        "sessions": .count(\.sessionLimits.sessionCount, minimum: 1),
        "session-share": .share(\.sessionLimits.sessionShare),
        "sign-in-share": .share(\.sessionLimits.signInShare),
        "kept-sessions": .count(\.sessionLimits.keptCount, minimum: 1),
        "unposted-time": .time(\.sessionLimits.unpostedDuration),
        "session-idle-time": .time(\.sessionLimits.idleDuration),
        "session-lifetime": .timeOrNever(\.sessionLimits.lifetime),
        "ended-time": .time(\.sessionLimits.endedDuration),
        "ended-ids": .count(\.sessionLimits.endedCount, minimum: 0),
        "forgetting-ids": .count(\.sessionLimits.forgettingCount, minimum: 1),
        "forgetting-time": .time(\.sessionLimits.forgettingDuration),
        "idempotency-keys": .count(
            \.sessionLimits.idempotencyKeyCount, minimum: 1, maximum: KeyList.most),
        "idempotency-record-bytes": .bytes(\.sessionLimits.idempotencyRecordByteCount),
        "idempotency-time": .time(\.sessionLimits.idempotencyDuration),
        "history-entries": .count(\.sessionLimits.historyEntryCount, minimum: 1),
        "history-bytes": .bytes(\.sessionLimits.historyByteCount),
        "recording-entries": .count(\.sessionLimits.recordingEntryCount, minimum: 1),
        "recording-bytes": .bytes(\.sessionLimits.recordingByteCount),
        "handle-calls": .count(\.sessionLimits.callCount, minimum: 1),
        "absence-time": .time(\.sessionLimits.absenceDuration),
        "watchers": .count(\.sessionLimits.watcherCount, minimum: 0),
        "waiters": .count(\.sessionLimits.waiterCount, minimum: 0),
        "projections": .count(\.sessionLimits.projectionCount, minimum: 0),
        "wait-time": .time(\.sessionLimits.waitDuration),
        "ping-time": .time(\.sessionLimits.pingDuration),
        "access-check-time": .timeOrNever(\.sessionLimits.accessCheckDuration),
        "stream-age": .time(\.sessionLimits.streamAge),
        "patch-bytes": .bytes(\.sessionLimits.patchByteCount),
        "watcher-bytes": .bytes(\.sessionLimits.watcherByteCount),
        "routes-running": .count(\.routeLimits.runningCount, minimum: 1),
        "route-time": .time(\.routeLimits.duration),
    ]
}

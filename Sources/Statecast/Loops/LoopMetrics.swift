/// The counters of one loop.
struct LoopMetrics: Sendable {
    var requests = 0
    var submissions = 0
    var rejections = 0
    var events = 0
    var batchedSends = 0
    var batchedReceives = 0
    var slowTurns = 0
    var sessions = 0
    var watchers = 0
}

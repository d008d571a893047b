import Histogram
import Sockets

/// One run on one loop: its connections, and the counts and times that they measure.
final class LoadRun {
    let plan: LoadPlan
    /// The bytes of a post to each session.
    let requests: [[UInt8]]
    private var posters: [Poster] = []
    private var watchers: [LoadWatcher] = []
    /// The times at which the posts to each session were due, by version.
    private var dueAt: [[Instant]]
    /// The number of events of the last post to each session that are still to come.
    private var awaited: [Int]
    private var isMeasuring = false
    private var isStopped = false
    private(set) var failure: String?
    private(set) var counts = Counts()
    private var pacer: Pacer?

    /// The counts and times of the measured seconds.
    struct Counts: Sendable {
        var posts = 0
        var failedPosts = 0
        var events = 0
        var missing = 0
        var doubled = 0
        var patches = 0
        var snapshots = 0
        var broken = 0
        /// The bytes of all streams, with the sizes of chunks.
        var streamBytes = 0
        var postTimes = Histogram<UInt64>(numberOfSignificantValueDigits: .three)
        var eventTimes = Histogram<UInt64>(numberOfSignificantValueDigits: .three)

        /// Counts an event of a stream that has shown a version before.
        mutating func add(_ event: LoadEvent, after previous: Int) {
            events += 1
            if event.version <= previous { doubled += 1 }
            if event.version > previous + 1 { missing += event.version - previous - 1 }
            if event.kind == .patch { patches += 1 }
            if event.kind == .snapshot { snapshots += 1 }
            if !event.follows(previous) { broken += 1 }
        }
    }

    init(_ plan: LoadPlan, requests: [[UInt8]]) {
        self.plan = plan
        self.requests = requests
        dueAt = Array(repeating: [], count: plan.sessions)
        awaited = Array(repeating: 0, count: plan.sessions)
    }

    func addPoster(_ descriptor: consuming Descriptor, on loop: isolated EventLoop)
        throws(SystemError)
    {
        posters.append(try Poster(descriptor, run: self, on: loop))
    }

    func addWatcher(
        _ descriptor: consuming Descriptor, session: Int, on loop: isolated EventLoop
    ) throws(SystemError) {
        watchers.append(try LoadWatcher(descriptor, session: session, run: self, on: loop))
    }

    /// True once every stream has shown its first state.
    var allWatchersStarted: Bool { watchers.allSatisfy { $0.lastVersion >= 0 } }

    /// Begins to post.
    func start(on loop: isolated EventLoop) {
        guard !posters.isEmpty else { return }
        if let rate = plan.rate {
            pacer = Pacer(rate: rate, run: self, on: loop)
        } else {
            for session in 0..<plan.sessions { post(to: session, at: loop.now, on: loop) }
        }
    }

    /// Counts from now on.
    func measure() {
        counts = Counts()
        isMeasuring = true
    }

    /// Posts no more; the counts stand.
    func stop() {
        isMeasuring = false
        isStopped = true
        pacer?.stop()
    }

    /// Closes all connections.
    func close(on loop: isolated EventLoop) {
        for poster in posters { poster.close(on: loop) }
        for watcher in watchers { watcher.close(on: loop) }
        posters = []
        watchers = []
        pacer = nil
    }

    func fail(_ reason: String) {
        if !isStopped, failure == nil { failure = reason }
    }

    func post(to session: Int, at instant: Instant, on loop: isolated EventLoop) {
        guard !isStopped else { return }
        posters[session % posters.count].post(to: session, at: instant, on: loop)
    }

    /// Notes that a post leaves: its version is the session's next.
    func willPost(to session: Int, at instant: Instant) {
        dueAt[session].append(instant)
        awaited[session] = plan.watchersPerSession
    }

    func didPost(to session: Int, at instant: Instant, status: Int, on loop: isolated EventLoop) {
        if isMeasuring {
            counts.posts += 1
            if status != 200 { counts.failedPosts += 1 }
            record(since: instant, in: &counts.postTimes)
        }
        if plan.rate == nil, plan.watchersPerSession == 0 {
            post(to: session, at: loop.now, on: loop)
        }
    }

    func received(_ byteCount: Int) {
        if isMeasuring { counts.streamBytes += byteCount }
    }

    func arrived(
        _ event: LoadEvent, after previous: Int, session: Int, on loop: isolated EventLoop
    ) {
        guard previous >= 0 else { return }
        let version = event.version
        if isMeasuring {
            counts.add(event, after: previous)
            if version >= 1, version <= dueAt[session].count {
                record(since: dueAt[session][version - 1], in: &counts.eventTimes)
            }
        }
        guard plan.waitsForEvents, version == dueAt[session].count else { return }
        awaited[session] -= 1
        if awaited[session] == 0 { post(to: session, at: loop.now, on: loop) }
    }

    private func record(since instant: Instant, in histogram: inout Histogram<UInt64>) {
        let elapsed = Instant.read().nanoseconds - instant.nanoseconds
        histogram.record(UInt64(max(1, elapsed)))
    }
}

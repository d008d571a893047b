/// One kind of load, and the figures that a table shows of it.
struct Workload: Sendable {
    var name: String
    var plan: LoadPlan
    var figures: [Figure]
    /// Measured where `--only` names it.
    var isOptional = false

    /// A figure of a report, smaller is better.
    struct Figure: Sendable {
        var name: String
        /// The least server keeps nothing: a ratio to its memory says nothing.
        var hasRatio = true
        var value: @Sendable (LoadReport) -> Double?
    }
}

extension Workload.Figure {
    static let cpuPerPost = Self(name: "CPU µs a post") { $0.serverCPUMicrosecondsPerPost }
    static let halfOfPosts = Self(name: "p50 µs") { $0.postMicroseconds?.p50 }
    static let mostPosts = Self(name: "p99 µs") { $0.postMicroseconds?.p99 }
    static let cpuPerEvent = Self(name: "CPU µs an event") { $0.serverCPUMicrosecondsPerEvent }
    static let memoryPerStream = Self(name: "KB a stream", hasRatio: false) {
        $0.serverBytesPerStream.map { $0 / 1_024 }
    }
    static let bytesMade = Self(name: "bytes a session, made", hasRatio: false) {
        $0.rest?.bytesMade
    }
    static let bytesUsed = Self(name: "bytes a session, used and at rest", hasRatio: false) {
        $0.rest?.bytesUsed
    }
    static let cpuAtRest = Self(name: "% of a core", hasRatio: false) { $0.rest?.cpuPercent }
    static let eventDelay = Self(name: "p99 ms to the event") {
        $0.eventMicroseconds.map { $0.p99 / 1_000 }
    }
}

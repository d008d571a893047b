import Foundation
import Histogram

/// The figures of a run.
struct LoadReport: Encodable {
    var mode: String
    var seconds: Double
    var sessions = 0
    var watchers = 0
    var posts = 0
    var failedPosts = 0
    var events = 0
    /// Events that never came, or came twice; in a run as fast as possible a newer state may
    /// stand for several changes, which is no loss.
    var missingEvents = 0
    var doubledEvents = 0
    /// Nil where the streams were sent states.
    var patches: Patches?
    /// The bytes of a stream by its events, with the sizes of chunks.
    var bytesPerEvent: Double?
    var postsPerSecond = 0.0
    var eventsPerSecond = 0.0
    var postMicroseconds: Percentiles?
    var eventMicroseconds: Percentiles?
    var serverCPUMicrosecondsPerPost: Double?
    var serverCPUMicrosecondsPerEvent: Double?
    var serverBytesPerStream: Double?
    /// The server's memory that no file backs.
    var serverResidentBytes: UInt64?
    /// Nil where sessions were used while they were measured.
    var rest: Rest?

    init(mode: String, seconds: Double) {
        self.mode = mode
        self.seconds = seconds
    }

    /// The cost of a session that nobody uses.
    struct Rest: Encodable {
        /// Memory, once it is made.
        var bytesMade: Double
        /// Memory, after an action and a rest.
        var bytesUsed: Double
        /// Of one core, for all sessions that were made.
        var cpuPercent: Double?
    }

    /// The events of streams that go on by patches.
    struct Patches: Encodable {
        var patches: Int
        /// Whole states, besides the first of each stream.
        var snapshots: Int
        /// Patches that do not lead on from what the stream had shown.
        var broken: Int

        init(_ counts: LoadRun.Counts) {
            patches = counts.patches
            snapshots = counts.snapshots
            broken = counts.broken
        }
    }

    struct Percentiles: Encodable {
        var p50: Double
        var p90: Double
        var p99: Double
        var max: Double

        /// Of nanoseconds; nil where nothing was recorded.
        init?(_ histogram: Histogram<UInt64>) {
            guard histogram.totalCount > 0 else { return nil }
            p50 = Double(histogram.valueAtPercentile(50)) / 1_000
            p90 = Double(histogram.valueAtPercentile(90)) / 1_000
            p99 = Double(histogram.valueAtPercentile(99)) / 1_000
            max = Double(histogram.maxRecorded) / 1_000
        }
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    func table() -> String {
        var rows: [(String, String)] = [
            ("mode", mode), ("measured", "\(number(seconds)) s"),
            ("sessions, watchers", "\(sessions), \(watchers)"),
            ("posts", "\(posts) (\(number(postsPerSecond))/s), \(failedPosts) failed"),
            ("events", "\(events) (\(number(eventsPerSecond))/s)"),
            ("events missing, doubled", "\(missingEvents), \(doubledEvents)"),
        ]
        if let patches {
            rows.append(
                (
                    "patches, snapshots, broken",
                    "\(patches.patches), \(patches.snapshots), \(patches.broken)"
                ))
        }
        if let bytes = bytesPerEvent { rows.append(("bytes an event", number(bytes))) }
        if let times = postMicroseconds { rows.append(("post, µs", line(times))) }
        if let times = eventMicroseconds { rows.append(("post to event, µs", line(times))) }
        if let cost = serverCPUMicrosecondsPerPost {
            rows.append(("server CPU a post, µs", number(cost)))
        }
        if let cost = serverCPUMicrosecondsPerEvent {
            rows.append(("server CPU an event, µs", number(cost)))
        }
        if let bytes = serverBytesPerStream {
            rows.append(("server memory a stream, KB", number(bytes / 1_024)))
        }
        if let rest {
            rows.append(("bytes a session, made", number(rest.bytesMade)))
            rows.append(("bytes a session, used and at rest", number(rest.bytesUsed)))
            rows.append(("% of a core at rest", rest.cpuPercent.map(number) ?? "–"))
        }
        if let bytes = serverResidentBytes {
            rows.append(("server memory, MB", number(Double(bytes) / 1_048_576)))
        }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { $0.0.padding(toLength: width + 2, withPad: " ", startingAt: 0) + $0.1 }
            .joined(separator: "\n")
    }

    private func line(_ times: Percentiles) -> String {
        "p50 \(number(times.p50))  p90 \(number(times.p90))  p99 \(number(times.p99))"
            + "  max \(number(times.max))"
    }

    private func number(_ value: Double) -> String {
        String(format: value < 100 ? "%.2f" : "%.0f", value)
    }
}

/// The rules of a piece of work for its times, its failures, and a value that changes meanwhile.
///
/// Rules are chained by dots: `.debounced(.milliseconds(300)).retrying(3)`. Without one, work begins
/// at once, is cancelled when its value changes, and is tried once.
public struct WorkPolicy: Sendable, Hashable {
    var debounce: Duration?
    var throttle: Duration?
    var timeout: Duration?
    var retries = 0
    var backoff = Duration.milliseconds(100)
    var isFinishing = false
    var isWhileWatched = false

    /// No rule at all.
    public init() {}

    /// Begins only after a time in which the value has not changed.
    public func debounced(_ duration: Duration) -> WorkPolicy { with { $0.debounce = duration } }

    /// Begins at most once in a time: at once for the first value, and at the end of the time for
    /// the last one of those that came meanwhile.
    public func throttled(_ duration: Duration) -> WorkPolicy { with { $0.throttle = duration } }

    /// Cancels each try after a time; its problem is then `Problem.timedOut`. One-shot work without
    /// a time of its own has 60 seconds.
    public func timingOut(after duration: Duration) -> WorkPolicy {
        with { $0.timeout = duration }
    }

    /// Tries again after an error.
    ///
    /// - Parameters:
    ///   - count: the number of tries after the first one.
    ///   - backoff: the wait before the second try; it doubles from one to the next, up to an hour.
    public func retrying(_ count: Int, backoff: Duration = .milliseconds(100)) -> WorkPolicy {
        with {
            $0.retries = max(0, count)
            $0.backoff = backoff
        }
    }

    /// Lets a try that is under way end when the value changes, and then starts the newest value.
    public var finishing: WorkPolicy { with { $0.isFinishing = true } }

    /// Runs only while the session is watched: it is cancelled when the last watcher leaves, and
    /// starts again with the next one, unless it has ended.
    public var whileWatched: WorkPolicy { with { $0.isWhileWatched = true } }

    private func with(_ change: (inout WorkPolicy) -> Void) -> WorkPolicy {
        var policy = self
        change(&policy)
        return policy
    }
}

extension WorkPolicy {
    /// Begins only after a time in which the value has not changed.
    public static func debounced(_ duration: Duration) -> WorkPolicy {
        WorkPolicy().debounced(duration)
    }

    /// Begins at most once in a time.
    public static func throttled(_ duration: Duration) -> WorkPolicy {
        WorkPolicy().throttled(duration)
    }

    /// Cancels each try after a time.
    public static func timingOut(after duration: Duration) -> WorkPolicy {
        WorkPolicy().timingOut(after: duration)
    }

    /// Tries again after an error.
    public static func retrying(
        _ count: Int, backoff: Duration = .milliseconds(100)
    ) -> WorkPolicy {
        WorkPolicy().retrying(count, backoff: backoff)
    }

    /// Lets a try that is under way end when the value changes.
    public static var finishing: WorkPolicy { WorkPolicy().finishing }

    /// Runs only while the session is watched.
    public static var whileWatched: WorkPolicy { WorkPolicy().whileWatched }
}

import Synchronization

extension Store {
    /// A part of the state as a sequence: its present value, then each that differs. One who reads
    /// slowly misses values, never the newest: at most one waits.
    ///
    /// Ends when the store goes. Not to be read by two at once.
    public func values<Value: Equatable & Sendable>(
        of select: @escaping (State) -> Value
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let feed = Feed(continuation)
        continuation.onTermination = { [reader = feed.reader] _ in reader.hasGone() }
        var last = select(committed)
        continuation.yield(last)
        let id = newObserverID()
        let observer = Observer<State, Action> { _, state, store, version in
            guard !feed.reader.isGone, store.isObserving(id, since: version) else { return }
            let value = select(state)
            guard value != last else { return }
            last = value
            feed.continuation.yield(value)
        }
        addObserver(id, observer)
        feeds.append((id, feed.reader))
        return stream
    }

    /// Forgets the sequences that nobody reads any more.
    func forgetGoneReaders() {
        let gone = Set(feeds.lazy.filter(\.reader.isGone).map(\.id))
        guard !gone.isEmpty else { return }
        feeds.removeAll { gone.contains($0.id) }
        observers.removeAll { gone.contains($0.id) }
    }
}

/// The writing end of a sequence of values; the sequence ends with it.
private final class Feed<Value: Sendable> {
    let continuation: AsyncStream<Value>.Continuation
    let reader = FeedReader()

    init(_ continuation: AsyncStream<Value>.Continuation) {
        self.continuation = continuation
    }

    deinit { continuation.finish() }
}

/// Whether somebody reads a sequence, told from any thread.
final class FeedReader: Sendable {
    private let gone = Atomic(false)

    var isGone: Bool { gone.load(ordering: .acquiring) }

    func hasGone() { gone.store(true, ordering: .releasing) }
}

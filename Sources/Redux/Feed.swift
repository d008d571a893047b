import Synchronization

/// The writing end of a sequence of values; the sequence ends with it.
final class Feed<Value: Sendable> {
    let continuation: AsyncStream<Value>.Continuation
    let reader = FeedReader()

    init(_ continuation: AsyncStream<Value>.Continuation) {
        self.continuation = continuation
    }

    deinit { continuation.finish() }
}

/// The reading end of a sequence of values, which may be left on any thread.
final class FeedReader: Sendable {
    private let gone = Atomic(false)

    var isGone: Bool { gone.load(ordering: .acquiring) }

    func leave() { gone.store(true, ordering: .releasing) }
}

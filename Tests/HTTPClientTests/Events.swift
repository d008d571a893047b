/// What a server's thread reports and a test waits for, one at a time.
struct Events<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() {
        (stream, continuation) = AsyncStream<Value>.makeStream()
    }

    func report(_ value: Value) { continuation.yield(value) }

    func next() async -> Value? {
        for await value in stream { return value }
        return nil
    }
}

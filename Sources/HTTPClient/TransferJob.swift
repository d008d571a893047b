/// The end of a transfer.
typealias TransferResult = Result<OutboundResponse, HTTPClientError>

/// A request on its way to the thread, and whom to tell.
struct TransferJob: Sendable {
    let id: UInt64
    let request: OutboundRequest
    let deadline: ContinuousClock.Instant
    /// Resumed exactly once: by the inbox if it refuses the job, else by the one that takes the job
    /// out of the queue for good: a cancelled task, or the loop.
    let continuation: CheckedContinuation<TransferResult, Never>
}

internal import Curl
internal import Synchronization
internal import Threads

/// Requests to outside servers, carried by libcurl on one thread of the client's own.
///
///     let client = try OutboundClient()
///     let request = OutboundRequest(url: "http://127.0.0.1:8081/users/ada")
///     let answer = try await client.execute(request)
///
/// Any number of tasks may call it at once. Owners (`OutboundRequest.owner`) take turns, and none
/// of them has more than its share of the transfers. Connections are reused. Proxies and credentials of
/// the environment are not used, cookies not kept. An idempotent request whose reused connection
/// turns out to be closed before the first byte of the answer is sent again, once, by libcurl;
/// any other goes over a new connection and is never sent twice (RFC 9110 §9.2.2).
///
/// A client that is let go without `shutdown()` ends its thread by itself, once what runs has
/// ended.
public final class OutboundClient: Sendable {
    /// The limits and times it was made with.
    public let configuration: HTTPClientConfiguration

    private let inbox: Inbox
    private let lastID = Atomic<UInt64>(0)

    /// Starts the thread; throws `.noThread` where the system refuses it.
    ///
    /// - Parameter stackByteCount: the size of its stack, whole pages of memory.
    public init(
        configuration: HTTPClientConfiguration = HTTPClientConfiguration(),
        stackByteCount: Int = 8 << 20
    ) throws(HTTPClientError) {
        self.configuration = configuration
        let waker = MultiWaker(idleConnectionLimit: configuration.idleConnectionLimit)
        let inbox = Inbox(waker: waker, configuration)
        self.inbox = inbox
        do throws(ThreadRefusal) {
            try NamedThread.start(name: "outbound", stackByteCount: stackByteCount) {
                TransferLoop(configuration: configuration, waker: waker, inbox: inbox).run()
            }
        } catch {
            throw .noThread(code: Int(error.code))
        }
    }

    deinit {
        inbox.close()
    }

    /// Sends the request and returns the whole answer, whatever its status.
    ///
    /// When the task is cancelled, the transfer is aborted at once, its connection closed, and
    /// the call throws `.cancelled`; the request may have had effects by then.
    public func execute(
        _ request: OutboundRequest
    ) async throws(HTTPClientError) -> OutboundResponse {
        try await perform(request, nil).get().decoded(limit: configuration.responseLimit)
    }

    /// Sends the request, and hands each piece of the answer's body out as it comes, with the head.
    /// Returns, with an answer without a body, once it has ended.
    ///
    /// - Parameter pass: called on the client's thread, which waits for it; false ends the transfer.
    package func stream(
        _ request: OutboundRequest,
        _ pass: @escaping @Sendable (Result<OutboundResponse, HTTPClientError>, [UInt8]) -> Bool
    ) async throws(HTTPClientError) -> OutboundResponse {
        try await perform(request, pass).get()
    }

    private func perform(
        _ request: OutboundRequest, _ pass: (@Sendable (TransferResult, [UInt8]) -> Bool)?
    ) async -> TransferResult {
        let id = lastID.add(1, ordering: .relaxed).newValue
        let deadline = ContinuousClock.now + (request.totalTimeout ?? configuration.totalTimeout)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                inbox.submit(
                    TransferJob(id: id, request: request, deadline: deadline, pass: pass) {
                        continuation.resume(returning: $0)
                    })
                // A task that was cancelled before the submission has told the inbox too early.
                if Task.isCancelled { inbox.cancel(id, of: request.owner) }
            }
        } onCancel: {
            inbox.cancel(id, of: request.owner)
        }
    }

    /// Ends what runs and waits with `.shutDown`, refuses what comes, and returns once the
    /// thread is done with all transfers. May be called more than once.
    public func shutdown() async {
        await inbox.closeAndWait()
    }
}

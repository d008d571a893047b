#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#elseif canImport(Foundation)
    public import Foundation
#endif
public import ClientWire
import Synchronization

/// The way over Foundation's `URLSession`.
///
/// A session's delegate, and not its `bytes`, tells what comes: these are not on all platforms.
public final class URLSessionTransport: Transport {
    private let session: URLSession
    let receiver = TaskReceiver()

    /// A transport with a session of its own, which keeps no cache.
    ///
    /// - Parameter configuration: changes what the session is made with: cookies, proxies.
    public init(_ configure: (URLSessionConfiguration) -> Void = { _ in }) {
        let configuration = URLSessionConfiguration.default
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCache = nil
        // The mirror knows itself how long to wait.
        configuration.timeoutIntervalForRequest = 120
        configuration.timeoutIntervalForResource = 86_400
        configure(configuration)
        session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
    }

    /// A session holds its delegate until it is told to end.
    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request; see ``Transport/send(_:)``.
    public func send(_ request: ClientRequest) async throws -> TransportAnswer {
        guard let url = URL(string: request.target), url.host != nil else {
            throw MirrorProblem("bad-url", "No URL: \(request.target)")
        }
        var sent = URLRequest(url: url)
        sent.httpMethod = request.method
        sent.httpBody = request.body.map { Data($0) }
        for (name, value) in request.fields { sent.setValue(value, forHTTPHeaderField: name) }
        let task = session.dataTask(with: sent)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { receiver.begin(task, $0) }
        } onCancel: {
            task.cancel()
        }
    }
}

extension Mirror {
    /// A mirror of a session over a `URLSession` of its own; see ``init(_:of:query:fields:over:in:)``.
    public convenience init(
        _ model: M.Type = M.self, of session: String, query: String = "",
        fields: [String: String] = [:]
    ) {
        self.init(
            model, of: session, query: query, fields: fields, over: URLSessionTransport())
    }
}

/// Hands what comes for a task over to the one who waits for it.
final class TaskReceiver: NSObject, URLSessionDataDelegate {
    private struct Waiting {
        typealias Body = AsyncThrowingStream<[UInt8], any Error>

        /// Nil once the head is there: who has the answer alone has the stream, and ends it.
        var head: (asked: CheckedContinuation<TransportAnswer, any Error>, stream: Body)?
        let body: Body.Continuation
    }

    /// The most chunks that wait to be read.
    private static let chunkLimit = 4_096
    private let waiting = Mutex<[Int: Waiting]>([:])

    func begin(
        _ task: URLSessionDataTask, _ head: CheckedContinuation<TransportAnswer, any Error>
    ) {
        let (stream, body) = AsyncThrowingStream<[UInt8], any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.chunkLimit))
        body.onTermination = { _ in task.cancel() }
        waiting.withLock {
            $0[task.taskIdentifier] = Waiting(head: (head, stream), body: body)
        }
        task.resume()
    }

    func urlSession(
        _ session: URLSession, dataTask task: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(tell(response, to: task) ? .allow : .cancel)
    }

    /// A redirection is an answer like any other: who followed it would hand all fields, a token's too, to
    /// another host.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        _ = tell(response, to: task)
        completionHandler(nil)
    }

    /// Hands a head over once; false where nobody waits.
    private func tell(_ response: URLResponse, to task: URLSessionTask) -> Bool {
        let found = waiting.withLock { waiting in
            defer { waiting[task.taskIdentifier]?.head = nil }
            return waiting[task.taskIdentifier]
        }
        guard let found, let response = response as? HTTPURLResponse else { return false }
        guard let head = found.head else { return true }
        var fields: [String: String] = [:]
        for case (let name as String, let value as String) in response.allHeaderFields {
            fields[name.lowercased()] = value
        }
        head.asked.resume(
            returning: TransportAnswer(
                status: response.statusCode, fields: fields, body: head.stream))
        return true
    }

    func urlSession(_ session: URLSession, dataTask task: URLSessionDataTask, didReceive data: Data)
    {
        let body = waiting.withLock { $0[task.taskIdentifier]?.body }
        if case .dropped = body?.yield(Array(data)) {
            body?.finish(throwing: MirrorProblem("too-slow", "What came was not read."))
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        guard let found = waiting.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else {
            return
        }
        let problem = MirrorProblem("no-answer", error?.localizedDescription ?? "It has ended.")
        found.head?.asked.resume(throwing: problem)
        found.body.finish(throwing: error.map { _ in problem })
    }
}

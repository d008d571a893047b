/// Why there is no answer. An answer with a 4xx or 5xx status is an answer, not an error.
public enum HTTPClientError: Error, Sendable, Hashable {
    /// The URL cannot be read, or its scheme is neither `http` nor `https`.
    case invalidURL(String)
    /// No connection: name unknown, port refused, TLS failed. Nothing was sent; worth a retry.
    case notConnected(detail: String)
    /// The connection ended inside the answer, or before it. The request may have had effects.
    case connectionLost(detail: String)
    /// The connect timeout passed. Nothing was sent; worth a retry.
    case connectTimedOut
    /// The total timeout passed, time in the queue included. The request may have had effects.
    case timedOut
    /// The answer is not one of HTTP, or its gzip coding is broken.
    case malformedResponse(detail: String)
    /// The body, before or after decoding, is longer than the limit; the transfer was cut.
    case responseTooLarge(limit: Int)
    /// The answer's field section is longer than the limit.
    case fieldsTooLarge(limit: Int)
    /// More redirects than the request allows to follow.
    case tooManyRedirects(limit: Int)
    /// As many requests as allowed are running and waiting; nothing was sent.
    case overloaded(limit: Int)
    /// As many requests of the request's owner as allowed are running and waiting; nothing was
    /// sent.
    case ownerOverloaded(limit: Int)
    /// The task that asked was cancelled.
    case cancelled
    /// The system refuses the client's thread, with this error number.
    case noThread(code: Int)
    /// The client was shut down.
    case shutDown
    /// Anything else that libcurl reports, with its number.
    case failed(code: Int, detail: String)
}

public import ClientWire
public import HTTPClient

/// The way of a mirror over libcurl, on one thread of its client's: for programs without Foundation's
/// networking.
///
///     let mirror = Mirror<ShoppingModel>(of: url, over: try CurlTransport())
public struct CurlTransport: Transport {
    private let client: OutboundClient

    /// The most pieces of a body that wait to be read: of 16 KiB at most.
    private static let pieceLimit = 4_096

    /// A transport over a client of its own, or over a given one. A mirror has up to three transfers at
    /// once, one of which lasts as long as it follows its session.
    public init(_ client: OutboundClient? = nil) throws(HTTPClientError) {
        if let client {
            self.client = client
        } else {
            var configuration = HTTPClientConfiguration()
            configuration.ownerTransferLimit = configuration.transferLimit
            self.client = try OutboundClient(configuration: configuration)
        }
    }

    /// Sends a request; see `Transport`.
    public func send(_ request: ClientRequest) async throws -> TransportAnswer {
        var sent = OutboundRequest(
            method: HTTPRequest.Method(request.method) ?? .get, url: request.target,
            body: request.body ?? [])
        for (name, value) in request.fields {
            if let name = HTTPField.Name(name) {
                sent.fields.append(.init(name: name, value: value))
            }
        }
        // The mirror knows itself how long to wait.
        sent.totalTimeout = .seconds(86_400)
        // Of heads, until the first is there.
        let (heads, head) = AsyncThrowingStream<OutboundResponse, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(1))
        let (body, pieces) = AsyncThrowingStream<[UInt8], any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.pieceLimit))
        let transfer = Task { [client, sent] in
            do throws(HTTPClientError) {
                head.yield(
                    try await client.stream(sent) { answer, piece in
                        if case .success(let answer) = answer { head.yield(answer) }
                        if case .enqueued = pieces.yield(piece) { return true }
                        return false
                    })
                pieces.finish()
                head.finish()
            } catch {
                let problem = MirrorProblem(error)
                pieces.finish(throwing: problem)
                head.finish(throwing: problem)
            }
        }
        pieces.onTermination = { _ in transfer.cancel() }
        return try await withTaskCancellationHandler {
            for try await found in heads {
                return TransportAnswer(
                    status: found.status.code, fields: Self.byName(found.fields), body: body)
            }
            throw CancellationError()
        } onCancel: {
            transfer.cancel()
        }
    }

    private static func byName(_ fields: HTTPFields) -> [String: String] {
        Dictionary(fields.map { ($0.name.canonicalName, $0.value) }) { "\($0), \($1)" }
    }
}

extension MirrorProblem {
    /// Where nothing was sent, nobody has to ask what became of it.
    fileprivate init(_ error: HTTPClientError) {
        switch error {
        case .invalidURL(let url): self.init("bad-url", "No URL: \(url)")
        case .notConnected(let detail): self.init("not-connected", detail)
        case .connectTimedOut: self.init("not-connected", "No connection in time.")
        case .overloaded, .ownerOverloaded: self.init("not-connected", "Too much is asked at once.")
        case .connectionLost(let detail), .failed(_, let detail): self.init("no-answer", detail)
        case .malformedResponse(let detail): self.init("not-http", detail)
        case .fieldsTooLarge, .responseTooLarge, .tooManyRedirects:
            self.init("not-http", "The answer is larger than may be.")
        case .timedOut: self.init("no-answer", "No answer in time.")
        case .cancelled, .shutDown, .noThread: self.init("stopped", "The request was given up.")
        }
    }
}

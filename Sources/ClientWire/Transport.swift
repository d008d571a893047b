/// The way of a mirror's requests to the server: `URLSessionTransport` where Foundation's networking is,
/// `CurlTransport` of the product StatecastClientCurl, or a test's own.
public protocol Transport: Sendable {
    /// Sends a request to the URL that is its target, and returns when the head of its answer is there.
    /// Throws where none comes.
    ///
    /// A task that is cancelled ends the request. Who lets go of the body ends it, too. A redirection is an
    /// answer like any other, and not followed: another host is to get no field.
    func send(_ request: ClientRequest) async throws -> TransportAnswer
}

extension Transport {
    /// Sends a request, and waits for the whole of its answer.
    package func answer(to request: ClientRequest) async -> Result<ClientAnswer, MirrorProblem> {
        do {
            return .success(try await send(request).whole())
        } catch {
            return .failure(MirrorProblem(error))
        }
    }

    /// Sends a request, and waits so long for the whole of its answer.
    package func answer(
        to request: ClientRequest, within patience: Duration, by clock: any Clock<Duration>
    ) async -> Result<ClientAnswer, MirrorProblem> {
        await withTaskGroup(of: Result<ClientAnswer, MirrorProblem>.self) { group in
            group.addTask { await answer(to: request) }
            group.addTask {
                // Nobody waits for the answer where the sleep is cut short.
                try? await clock.sleep(for: patience)
                return .failure(.silence)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.silence)
        }
    }
}

extension MirrorProblem {
    /// The network's no.
    package init(_ error: any Error) {
        self = error as? MirrorProblem ?? MirrorProblem("no-answer", "\(error)")
    }
}

/// The answer to a request, whose body comes as the server sends it.
public struct TransportAnswer: Sendable {
    /// The number: 200.
    public var status: Int
    /// By their names in lower case.
    public var fields: [String: String]
    /// Without its transfer coding. Its buffer is bounded: it throws where it is read too slowly.
    public var body: AsyncThrowingStream<[UInt8], any Error>

    /// An answer.
    public init(
        status: Int, fields: [String: String], body: AsyncThrowingStream<[UInt8], any Error>
    ) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The most bytes of an answer that is read as a whole.
    private static let limit = 64 << 20

    /// The answer as a whole.
    package func whole() async throws -> ClientAnswer {
        var bytes: [UInt8] = []
        for try await chunk in body {
            bytes += chunk
            guard bytes.count <= Self.limit else {
                throw MirrorProblem("not-http", "An answer has \(Self.limit) bytes at most.")
            }
        }
        return ClientAnswer(status: status, fields: fields, body: bytes)
    }
}

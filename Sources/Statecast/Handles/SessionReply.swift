import Sockets

/// The answer to a call of a handle, which an event loop gives once; later ones do nothing.
final class SessionReply<Value: Sendable>: Sendable {
    private enum Phase {
        case open
        case awaited(CheckedContinuation<Result<Value, SessionError>, Never>)
        case given(Result<Value, SessionError>)
        case over
    }

    private let phase = Lock(Phase.open)

    /// Gives the answer, from any thread.
    func give(_ result: Result<Value, SessionError>) {
        let awaiting: CheckedContinuation<Result<Value, SessionError>, Never>? =
            phase.withLock { phase in
                switch phase {
                case .open:
                    phase = .given(result)
                    return nil
                case .awaited(let continuation):
                    phase = .over
                    return continuation
                case .given, .over: return nil
                }
            }
        awaiting?.resume(returning: result)
    }

    /// Waits for the answer; called once.
    func value() async throws(SessionError) -> Value {
        let result = await withCheckedContinuation { continuation in
            let given: Result<Value, SessionError>? = phase.withLock { phase in
                switch phase {
                case .given(let result):
                    phase = .over
                    return result
                case .open:
                    phase = .awaited(continuation)
                    return nil
                case .awaited, .over: preconditionFailure("An answer is awaited once.")
                }
            }
            if let given { continuation.resume(returning: given) }
        }
        return try result.get()
    }
}

import HTTPServer
import Sessions
import Sockets

/// The outcome of opening a session.
enum SessionOpening {
    /// It is here; `isNew` where this opening has made it.
    case here(Session, isNew: Bool)
    /// There is none.
    case absent
    /// It has gone to sleep, and may be opened.
    case asleep
    /// There is none, and the one that was wished for does not begin.
    case refused(Refusal)
    /// It cannot be opened now.
    case failed(ProblemDetails)
}

/// A session that a journal is at, opening it for instance, and the requests that wait for that.
final class OpeningSession {
    /// Carries a request on, on the loop of the session, with the outcome.
    typealias Continuation = (SessionOpening) -> Void

    /// The most requests that wait for one opening.
    static let requestCount = 64
    /// The most bytes of requests that wait for one opening.
    static let byteCount = 1 << 20
    /// The longest time that a request waits for an opening.
    static let duration = Duration.seconds(2)

    private var waiting: [Continuation] = []
    private var waitingByteCount = 0
    private var held: Held?
    /// The outcome; nil while the journal is at it.
    private(set) var result: SessionOpening?

    /// Goes on with the outcome, if it is there.
    ///
    /// - Parameter byteCount: of a request that waits; throws where as many wait as may.
    func then(
        _ byteCount: Int = 0, on loop: isolated EventLoop, _ request: @escaping Continuation
    ) throws(ProblemDetails) {
        if let result { request(result) } else { try wait(byteCount, on: loop, request) }
    }

    /// Has a request of so many bytes wait; throws where as many wait as may.
    func wait(
        _ byteCount: Int, on loop: isolated EventLoop, _ request: @escaping Continuation
    ) throws(ProblemDetails) {
        guard waiting.count < Self.requestCount, waitingByteCount + byteCount <= Self.byteCount
        else { throw .busy }
        waiting.append(request)
        waitingByteCount += byteCount
        guard held == nil else { return }
        // The journal takes too long: those that wait may try again.
        held = Held(nil, for: Self.duration, on: loop) { [self] _, _ in
            answerWaiting(.failed(.busy), on: loop)
        }
    }

    /// Carries on those that have waited.
    func finish(_ result: SessionOpening, on loop: isolated EventLoop) {
        self.result = result
        answerWaiting(result, on: loop)
    }

    private func answerWaiting(_ result: SessionOpening, on loop: isolated EventLoop) {
        held?.end(on: loop)
        held = nil
        let waiting = waiting
        self.waiting = []
        waitingByteCount = 0
        // The first one has begun it.
        for (index, request) in waiting.enumerated() {
            switch result {
            case .here(let session, _) where index > 0: request(.here(session, isNew: false))
            // Another one's input may be taken.
            case .refused where index > 0: request(.absent)
            default: request(result)
            }
        }
    }
}

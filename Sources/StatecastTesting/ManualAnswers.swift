import Synchronization

/// The far side of an outside API whose answers a test gives by hand, in any order.
///
///     let searches = ManualAnswers<String, [Place]>()
///     let upstream = Upstream(places: { try await searches.answer(to: $0) })
///     …
///     #expect(searches.waiting == ["ti", "tin"])
///     searches.succeed("tin", with: [tinker])      // the later one first
///     searches.fail("ti", with: Unreachable())
///
/// A question whose task is cancelled is no longer waiting, and is counted in `cancelled`.
public final class ManualAnswers<Question: Equatable & Sendable, Answer: Sendable>: Sendable {
    private struct Waiting {
        var id: Int
        var question: Question
        var continuation: CheckedContinuation<Answer, any Error>
    }

    private struct Questions {
        var asked: [Question] = []
        var cancelled: [Question] = []
        var waiting: [Waiting] = []
        var lastID = 0
    }

    private let questions = Mutex(Questions())

    /// Nothing was asked yet.
    public init() {}

    /// Every question so far, in the order of asking.
    public var asked: [Question] { questions.withLock { $0.asked } }

    /// The questions without an answer yet.
    public var waiting: [Question] { questions.withLock { $0.waiting.map(\.question) } }

    /// The questions that nobody wants an answer to any more.
    public var cancelled: [Question] { questions.withLock { $0.cancelled } }

    /// Waits for the test's answer; throws what the test throws, or when cancelled.
    public func answer(to question: Question) async throws -> Answer {
        let id = questions.withLock { questions in
            questions.asked.append(question)
            questions.lastID += 1
            return questions.lastID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isWaiting = questions.withLock { questions in
                    guard !Task.isCancelled else { return false }
                    questions.waiting.append(
                        Waiting(id: id, question: question, continuation: continuation))
                    return true
                }
                guard !isWaiting else { return }
                questions.withLock { $0.cancelled.append(question) }
                continuation.resume(throwing: CancellationError())
            }
        } onCancel: {
            let waiting = questions.withLock { questions -> Waiting? in
                let index = questions.waiting.firstIndex { $0.id == id }
                guard let index else { return nil }
                questions.cancelled.append(question)
                return questions.waiting.remove(at: index)
            }
            waiting?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Answers the oldest such question; false where none waits.
    @discardableResult
    public func succeed(_ question: Question, with answer: Answer) -> Bool {
        take(question) { $0.resume(returning: answer) }
    }

    /// Fails the oldest such question; false where none waits.
    @discardableResult
    public func fail(_ question: Question, with error: any Error) -> Bool {
        take(question) { $0.resume(throwing: error) }
    }

    private func take(
        _ question: Question, _ resume: (CheckedContinuation<Answer, any Error>) -> Void
    ) -> Bool {
        let taken = questions.withLock { questions in
            questions.waiting.firstIndex { $0.question == question }
                .map { questions.waiting.remove(at: $0) }
        }
        guard let taken else { return false }
        resume(taken.continuation)
        return true
    }
}

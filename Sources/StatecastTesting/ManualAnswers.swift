import Sockets
public import Testing

/// The far side of an outside API whose answers a test gives by hand, in any order.
///
///     let searches = ManualAnswers<String, [Place]>()
///     let upstream = Upstream(places: { try await searches.answer(to: $0) })
///     …
///     #expect(searches.waiting == ["ti", "tin"])
///     searches.succeed("tin", with: [tinker])      // the later one first
///     searches.fail("ti", with: Unreachable())
///
/// Each question whose task is cancelled is listed in `cancelled`. It throws at once and waits no
/// longer, unless the far side is one that ignores cancellation and answers all the same.
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

    private let questions = Lock(Questions())
    private let ignoresCancellation: Bool

    /// A far side that was not asked yet.
    ///
    /// - Parameter ignoresCancellation: true where a question waits on after its task was cancelled:
    ///   for tests of answers that come too late. Such a test answers every question.
    public init(ignoresCancellation: Bool = false) {
        self.ignoresCancellation = ignoresCancellation
    }

    /// Every question so far, in the order of asking.
    public var asked: [Question] { questions.withLock { $0.asked } }

    /// The questions without an answer yet.
    public var waiting: [Question] { questions.withLock { $0.waiting.map(\.question) } }

    /// The questions whose tasks were cancelled before the answer came.
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
                wait(Waiting(id: id, question: question, continuation: continuation))
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func wait(_ waiting: Waiting) {
        questions.withLock { $0.waiting.append(waiting) }
        if Task.isCancelled { cancel(waiting.id) }
    }

    private func cancel(_ id: Int) {
        let waiting = questions.withLock { questions -> Waiting? in
            let index = questions.waiting.firstIndex { $0.id == id }
            guard let index else { return nil }
            questions.cancelled.append(questions.waiting[index].question)
            return ignoresCancellation ? nil : questions.waiting.remove(at: index)
        }
        waiting?.continuation.resume(throwing: CancellationError())
    }

    /// Answers the oldest such question; records an issue where none waits.
    public func succeed(
        _ question: Question, with answer: Answer,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        removeFirst(question, sourceLocation)?.resume(returning: answer)
    }

    /// Fails the oldest such question; records an issue where none waits.
    public func fail(
        _ question: Question, with error: any Error,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        removeFirst(question, sourceLocation)?.resume(throwing: error)
    }

    private func removeFirst(
        _ question: Question, _ sourceLocation: SourceLocation
    ) -> CheckedContinuation<Answer, any Error>? {
        let (taken, others) = questions.withLock { questions in
            let index = questions.waiting.firstIndex { $0.question == question }
            let taken = index.map { questions.waiting.remove(at: $0) }
            return (taken, questions.waiting.map(\.question))
        }
        if taken == nil {
            let text = "Nobody waits for an answer to \(question), only to: \(others)"
            Issue.record(Comment(rawValue: text), sourceLocation: sourceLocation)
        }
        return taken?.continuation
    }
}

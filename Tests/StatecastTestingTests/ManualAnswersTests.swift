import StatecastTesting
import Testing

@Suite struct `Answers by hand` {
    private struct Refusal: Error {}

    private let clock = ManualClock()

    private func ask(
        _ questions: ManualAnswers<String, Int>, _ text: String
    ) -> Task<Int, any Error> {
        defer { clock.advance() }
        return Task(executorPreference: clock.executor) { try await questions.answer(to: text) }
    }

    private func value(_ task: Task<Int, any Error>) async throws -> Int {
        clock.advance()
        return try await task.value
    }

    @Test func `come in any order, to the oldest of equal questions first`() async throws {
        let questions = ManualAnswers<String, Int>()
        let tasks = ["a", "b", "a"].map { ask(questions, $0) }
        #expect(questions.waiting == ["a", "b", "a"])
        questions.succeed("b", with: 2)
        questions.succeed("a", with: 1)
        questions.fail("a", with: Refusal())
        #expect(try await value(tasks[0]) == 1)
        #expect(try await value(tasks[1]) == 2)
        await #expect(throws: Refusal.self) { try await value(tasks[2]) }
        #expect(questions.asked == ["a", "b", "a"])
    }

    @Test func `record an issue where nobody asks`() {
        let questions = ManualAnswers<String, Int>()
        let task = ask(questions, "b")
        withKnownIssue {
            questions.succeed("a", with: 1)
        } matching: {
            $0.comments.contains("Nobody waits for an answer to a, only to: [\"b\"]")
        }
        withKnownIssue { questions.fail("a", with: Refusal()) }
        task.cancel()
    }

    @Test func `are not awaited by a task that was cancelled`() async {
        let questions = ManualAnswers<String, Int>()
        let task = ask(questions, "a")
        task.cancel()
        #expect(questions.waiting.isEmpty)
        #expect(questions.cancelled == ["a"])
        await #expect(throws: CancellationError.self) { try await value(task) }
    }

    @Test func `may come from one who ignores that nobody waits`() async throws {
        let questions = ManualAnswers<String, Int>(ignoresCancellation: true)
        let task = ask(questions, "a")
        task.cancel()
        #expect(questions.waiting == ["a"])
        #expect(questions.cancelled == ["a"])
        questions.succeed("a", with: 1)
        #expect(try await value(task) == 1)
    }
}

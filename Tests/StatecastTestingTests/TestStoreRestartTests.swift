import Redux
import StatecastTesting
import Synchronization
import Testing

/// What a process had going on goes on in the next one.
@Suite struct `A restart of a test store` {
    struct Inquiry: Codable, Equatable, Sendable {
        var question: String?
        var answers: [String] = []
        var rings: Timestamp?
        var stamps: [String] = []
        var times: [Timestamp] = []
    }

    enum Action: Equatable, Sendable {
        case asked(String)
        case told(Answer<String>)
        case set(Timestamp)
        case rang
        case stamped
        case timed
    }

    let answers = ManualAnswers<String, String>()
    let keys = Keys()

    final class Keys: Sendable {
        let all = Mutex<[String]>([])
    }

    private func makeStore() -> TestStore<Inquiry, Action> {
        let (answers, keys) = (answers, keys)
        return TestStore(
            initial: Inquiry(),
            reducer: { (state, action, step) throws(Rejection) in
                switch action {
                case .asked(let question): state.question = question
                case .told(let answer):
                    state.question = nil
                    state.answers.append(answer.value ?? "")
                case .set(let time): state.rings = time
                case .rang: state.rings = nil
                case .stamped: state.stamps.append(step.makeID())
                case .timed: state.times.append(step.at)
                }
            },
            work: { state in
                var works: [Work<Action>] = []
                if let question = state.question {
                    works.append(
                        Work("ask", for: question) { (question, context) async throws -> String in
                            keys.all.withLock { $0.append(context.key) }
                            return try await answers.answer(to: question)
                        } then: {
                            .told($0)
                        })
                }
                if let time = state.rings { works.append(.alarm("bell", at: time, send: .rang)) }
                return works
            })
    }

    @Test func `asks again what was being asked, with the same key`() {
        let store = makeStore()
        store.send(.asked("who")) { $0.question = "who" }
        store.restart()
        #expect(answers.cancelled == ["who"])
        #expect(answers.asked == ["who", "who"])
        #expect(keys.all.withLock { $0 } == ["id-1/ask", "id-1/ask"])
        answers.succeed("who", with: "me")
        store.receive(.told(.value("me"))) {
            $0.question = nil
            $0.answers = ["me"]
        }
    }

    @Test func `leaves alone what has ended`() {
        let store = makeStore()
        store.send(.asked("who")) { $0.question = "who" }
        answers.succeed("who", with: "me")
        store.receive(.told(.value("me"))) {
            $0.question = nil
            $0.answers = ["me"]
        }
        store.restart()
        #expect(answers.asked == ["who"])
    }

    @Test func `rings an alarm at its time, or at once where that is past`() {
        let store = makeStore()
        store.send(.set(Timestamp(milliseconds: 2_000))) { $0.rings = .init(milliseconds: 2_000) }
        store.restart()
        store.advance(by: .seconds(1))
        store.restart()
        store.advance(by: .seconds(1))
        store.receive(.rang) { $0.rings = nil }
        store.send(.set(Timestamp(milliseconds: 500))) { $0.rings = .init(milliseconds: 500) }
        store.receive(.rang) { $0.rings = nil }
    }

    @Test func `goes on with versions, ids and time`() {
        let store = makeStore()
        store.send(.stamped) { $0.stamps = ["id-1"] }
        store.restart()
        #expect(store.send(.stamped) { $0.stamps = ["id-1", "id-2"] }.version == 2)
    }

    @Test func `fails where the state is another one behind JSON`() {
        struct Lossy: Codable, Equatable, Sendable {
            var kept = 0
            var lost = 0
            enum CodingKeys: CodingKey { case kept }
        }
        let store = TestStore<Lossy, Int>(
            initial: Lossy(),
            reducer: { (state, action, _) throws(Rejection) in state.lost = action })
        store.send(3) { $0.lost = 3 }
        withKnownIssue {
            store.restart()
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("another one") }
        }
    }

    @Test func `tells no step a time before the last one's, though its clock was set back`() {
        let store = makeStore()
        store.advance(by: .seconds(10))
        let times = [10_000, 10_000, 10_000, 14_000].map { Timestamp(milliseconds: $0) }
        store.send(.timed) { $0.times = Array(times[..<1]) }
        store.restart(settingClockBackBy: .seconds(3))
        store.send(.timed) { $0.times = Array(times[..<2]) }
        store.restart(settingClockBackBy: .seconds(3))
        store.advance(by: .seconds(6))
        store.send(.timed) { $0.times = Array(times[..<3]) }
        store.advance(by: .seconds(4))
        store.send(.timed) { $0.times = times }
    }
}

extension Outcome {
    fileprivate var version: UInt64? {
        if case .accepted(_, let last, _) = self { last } else { nil }
    }
}

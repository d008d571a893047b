import Redux
import Synchronization
import Testing

private enum Sums: Sendable, Equatable {
    case paid(Int)
    case refused
    case opened(Secret<String>)
}

private final class Kept: Sendable {
    private let kept = Mutex<[CrashRecorder.Line]>([])
    var all: [CrashRecorder.Line] { kept.withLock { $0 } }
    func add(_ line: CrashRecorder.Line) { kept.withLock { $0.append(line) } }
}

private func makeStore(
    _ middleware: [Middleware<Int, Sums>], onReduce: @escaping @Sendable () -> Void = {}
) -> Store<Int, Sums> {
    Store(
        initial: 0,
        reducer: { (state, action, _) throws(Rejection) in
            onReduce()
            switch action {
            case .paid(let sum): state += sum
            case .refused: throw Rejection("refused", "No.")
            case .opened: break
            }
        },
        middleware: middleware, environment: Environment(now: { Timestamp(milliseconds: 0) }))
}

@Suite struct `A crash recorder` {
    @Test func `tells what was sent and what became of it`() {
        let recorder = CrashRecorder()
        let store = makeStore([.crashRecorder(recorder, state: { "sum \($0)" })])
        for action: Sums in [.paid(5), .paid(0), .refused] { store.dispatch(action) }
        #expect(
            recorder.lines.map(\.text) == [
                "→ paid(5) from client", "#1 paid(5)", "#1 state: sum 5",
                "→ paid(0) from client", "#2 paid(0), no change",
                "→ refused from client",
            ])
    }

    @Test func `tells the causes of what follows`() {
        let recorder = CrashRecorder()
        let answer = Middleware<Int, Sums>(
            "answer", effectsAfter: { $0.new == 1 ? [.send(.paid(1))] : [] })
        makeStore([answer, .crashRecorder(recorder)]).dispatch(.paid(1))
        #expect(
            recorder.lines.map(\.text) == [
                "→ paid(1) from client", "#1 paid(1)",
                "→ paid(1) from effect", "#2 paid(1) caused by #1",
            ])
    }

    @Test func `has told of an action before the reducer, which may trap, sees it`() {
        let kept = Kept()
        let seen = Mutex<[String]>([])
        let recorder = CrashRecorder { kept.add($0) }
        let store = makeStore([.crashRecorder(recorder)]) {
            seen.withLock { $0.append(kept.all.last?.text ?? "") }
        }
        store.dispatch(.paid(5))
        store.dispatch(.refused)
        #expect(seen.withLock { $0 } == ["→ paid(5) from client", "→ refused from client"])
    }

    @Test func `keeps the last lines only, each in a place that a bounded file has too`() {
        let kept = Kept()
        let recorder = CrashRecorder(capacity: 3) { kept.add($0) }
        for number in 1...5 { recorder.record("\(number)") }
        #expect(recorder.lines.map(\.text) == ["3", "4", "5"])
        #expect(recorder.lines.map(\.number) == [3, 4, 5])
        #expect(kept.all.map(\.slot) == [0, 1, 2, 0, 1])
    }

    @Test(arguments: [
        ("short", "short"), ("two\nlines\tand\0m", "two lines and m"),
        ("exactly sixteen!", "exactly sixteen!"), ("more than sixteen", "more than six…"),
        ("öööööööö", "öööööööö"), ("ööööööööö", "öööööö…"), ("", ""),
        ("👩‍👩‍👧‍👦", "👩\u{200D}👩…"),
    ])
    func `keeps to a line and its length`(text: String, shown: String) {
        let recorder = CrashRecorder(lineLength: 16)
        recorder.record(text)
        #expect(recorder.lines.map(\.text) == [shown])
        #expect(shown.utf8.count <= 16)
    }

    @Test func `shows no secret, and nothing while it is switched off`() {
        let recorder = CrashRecorder()
        let store = makeStore([.crashRecorder(recorder)])
        store.dispatch(.opened(Secret("sesame")))
        #expect(recorder.lines.count == 2)
        #expect(!recorder.lines.contains { $0.text.contains("sesame") })
        store.switchMiddleware("crash-recorder", isEnabled: false)
        store.dispatch(.paid(1))
        #expect(recorder.lines.count == 2)
        store.switchMiddleware("crash-recorder", isEnabled: true)
        store.dispatch(.paid(1))
        #expect(recorder.lines.count == 4)
    }
}

@Suite struct `The analytics hook` {
    @Test func `tells an event for a step that makes one, unless it is replayed`() {
        let events = Mutex<[String]>([])
        let store = makeStore([
            .analytics { transition -> String? in
                transition.changed ? "paid in \(transition.version)" : nil
            } send: { event in
                events.withLock { $0.append(event) }
            }
        ])
        for action: Sums in [.paid(1), .paid(0), .refused, .paid(2)] { store.dispatch(action) }
        store.dispatch(.paid(3), origin: .replay)
        #expect(events.withLock { $0 } == ["paid in 1", "paid in 3"])
        store.switchMiddleware("analytics", isEnabled: false)
        store.dispatch(.paid(4))
        #expect(events.withLock { $0.count } == 2)
    }
}

import Counter
import CounterModel
import Redux
import StatecastTesting
import Testing

@Suite struct `A test store` {
    @Test func `passes where everything is stated`() {
        let store = Notebook.store()
        store.send(.written("a")) {
            $0.notes = ["a"]
            $0.isSaved = false
        }
        store.advance(by: .milliseconds(299))
        store.send(.written("b")) { $0.notes = ["a", "b"] }
        store.advance(by: .milliseconds(299))
        #expect(store.runningWork.map(\.name) == ["save"])
        store.advance(by: .milliseconds(1))
        store.receive(.saved(2)) { $0.isSaved = true }
        #expect(store.state == Notebook(notes: ["a", "b"]))
    }

    @Test func `tests an application in one line`() {
        TestStore(CounterApplication()).send(.incremented(by: 2)) { $0.count = 2 }
    }

    @Test func `takes what an interceptor made of an action as one step`() {
        let store = Notebook.store()
        store.send(.expanded(["a", "b"])) {
            $0.notes = ["a", "b"]
            $0.isSaved = false
        }
        store.run()
        store.receive(.saved(2)) { $0.isSaved = true }
    }

    @Test func `takes a batch as one step, or sees it refused`() {
        let store = Notebook.store()
        store.send(batch: [.written("a"), .closed]) {
            $0.notes = ["a"]
            $0.isSaved = false
            $0.isOpen = false
        }
        store.send(batch: [.written("b"), .written("")], rejectedAs: "empty-note", at: 1)
        expectIssue("was rejected at 1") { store.send(batch: [.written("b"), .written("")]) }
        expectIssue("was to be rejected at 0 as \"empty-note\"") {
            store.send(batch: [.written("b"), .written("")], rejectedAs: "empty-note", at: 0)
        }
        expectIssue("was to be rejected at 0 as \"empty-note\", and was accepted") {
            store.send(batch: [.closed], rejectedAs: "empty-note", at: 0)
        }
    }

    @Test func `runs an endless timer for as long as the test says`() {
        let store = Notebook.store()
        store.send(.watched(every: .seconds(1)))
        store.advance(by: .seconds(2))
        store.receive(.ticked)
        store.receive(where: { $0 == .ticked })
        store.send(.closed) { $0.isOpen = false }
        store.advance(by: .seconds(60))
    }

    @Test func `knows the rejection that is expected`() {
        Notebook.store().send(.written(""), rejectedAs: "empty-note")
    }

    @Test func `is told of effects that fail, and of reports that are rejected`() {
        let store = Notebook.store()
        store.send(.broken)
        let failed = StoreDiagnostic.effectFailed(name: "break", error: "the disk is full")
        store.receive(diagnostic: failed)
        expectIssue("was told nothing.") { store.receive(diagnostic: failed) }
        store.send(.broken)
        expectIssue("was told:\n    effectFailed") {
            store.receive(diagnostic: .effectsExhausted(name: "break", limit: 1))
        }
    }

    // MARK: Failing

    @Test func `fails where a change is stated wrongly, with the difference`() {
        let store = Notebook.store(.nonExhaustive)
        store.exhaustivity = .exhaustive
        expectIssue("notes[0]: \"b\" → \"a\"") {
            store.send(.written("a")) {
                $0.notes = ["b"]
                $0.isSaved = false
            }
        }
        store.exhaustivity = .nonExhaustive
    }

    @Test func `fails where a change is not stated`() {
        let store = Notebook.store()
        expectIssue("isOpen: true → false") { store.send(.closed) }
    }

    @Test func `fails where a stated change does not happen`() {
        let store = Notebook.store()
        expectIssue("isOpen: false → true") {
            store.send(.written(""), rejectedAs: "empty-note")
            store.send(.watched(every: .seconds(1))) { $0.isOpen = false }
        }
        store.cancelEffects()
    }

    @Test func `fails where an action is rejected`() {
        let store = Notebook.store()
        expectIssue("was rejected as \"empty-note\": A note needs some text.") {
            store.send(.written(""))
        }
        let long = String(repeating: "a", count: 300)
        expectIssue("\(long.prefix(291))… is not the expected one") { store.send(.written(long)) }
        store.skipReceived()
        store.exhaustivity = .nonExhaustive
    }

    @Test func `fails where an action is rejected otherwise, or not at all`() {
        let store = Notebook.store()
        expectIssue("and was as \"empty-note\"") { store.send(.written(""), rejectedAs: "other") }
        expectIssue("and was accepted") { store.send(.broken, rejectedAs: "other") }
        store.receive(diagnostic: .effectFailed(name: "break", error: "the disk is full"))
    }

    @Test func `fails where nothing comes, and says what may still come`() {
        let store = Notebook.store(.nonExhaustive)
        store.send(.written("a"))
        expectIssue("Running: \"save\"; the next wake is in 0.3 seconds.") {
            store.receive(.saved(1))
        }
    }

    @Test func `fails where something else comes`() {
        let store = Notebook.store()
        store.send(.watched(every: .seconds(1)))
        store.advance(by: .seconds(1))
        expectIssue("received ticked\n    ") { store.receive(.saved(1)) }
        store.cancelEffects()
    }

    @Test func `fails where something was not received before the next action`() {
        let store = Notebook.store()
        store.send(.watched(every: .seconds(1)))
        store.advance(by: .seconds(1))
        expectIssue("Before closed is sent, this was to be received:\n    ticked") {
            store.send(.closed) { $0.isOpen = false }
        }
    }

    @Test func `fails where something was not received before the end`() {
        let store = Notebook.store()
        store.send(.watched(every: .seconds(1)))
        store.advance(by: .seconds(1))
        store.cancelEffects()
        expectIssue("Before the test ends") { store.finish() }
    }

    @Test func `fails where an effect still runs at the end`() {
        let store = Notebook.store()
        store.send(.watched(every: .seconds(1)))
        expectIssue("work still runs: \"watch\"") { store.finish() }
    }

    @Test func `fails at the end also where nobody calls it`() {
        expectIssue("work still runs: \"watch\"") {
            let store = Notebook.store()
            store.send(.watched(every: .seconds(1)))
        }
    }

    @Test func `fails where an effect fails and nobody says so`() {
        let store = Notebook.store()
        store.send(.broken)
        expectIssue("effectFailed(name: \"break\"") { store.finish() }
    }

    @Test func `fails where a timer has no end`() {
        let store = Notebook.store()
        store.send(.watched(every: .seconds(1)))
        expectIssue("Effects still sleep after 10 wakes: \"watch\"") { store.run(atMost: 10) }
        store.cancelEffects()
        store.skipReceived()
    }

    @Test func `fails where a closure throws`() {
        let store = Notebook.store()
        expectIssue("the disk is full") {
            store.send(.closed) {
                $0.isOpen = false
                throw Notebook.Full()
            }
        }
    }

    @Test func `fails at the line that called it`() {
        let store = Notebook.store()
        let line = #line + 2
        withKnownIssue {
            store.send(.closed)
        } matching: {
            $0.sourceLocation?.line == line
        }
    }

    // MARK: Not exhaustive

    @Test func `that is not exhaustive lets open what the test does not like to state`() {
        let store = Notebook.store(.nonExhaustive)
        store.send(.watched(every: .seconds(1)))
        store.send(.written("a")) { $0.notes = ["a"] }
        store.advance(by: .seconds(3))
        store.receive(.ticked)
        store.receive(where: { $0 == .ticked }) { $0.isSaved = true }
        store.send(.broken)
    }

    @Test func `that is not exhaustive fails where what it states is wrong`() {
        let store = Notebook.store(.nonExhaustive)
        expectIssue("isSaved: true → false") { store.send(.written("a")) { $0.isSaved = true } }
        store.run()
        expectIssue("received only:\n    saved(1)") { store.receive(.ticked) }
        store.receive(.saved(1)) { $0.isSaved = true }
    }

    private func expectIssue(
        _ text: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () -> Void
    ) {
        withKnownIssue(sourceLocation: sourceLocation) {
            body()
        } matching: {
            let comments = $0.comments.map(\.rawValue)
            return (comments + [String(describing: $0.error)]).joined().contains(text)
        }
    }
}

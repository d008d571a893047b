import Testing

@testable import Redux

/// A note: a feature with a reducer, which knows nothing of the wholes that it lies in.
private struct Note: Sendable, Equatable, Identifiable {
    enum Action: Sendable { case edited(String), signed }

    var id: Int
    var text = ""

    static func reduce(_ note: inout Note, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .edited(let text):
            note.text = text
            guard !text.isEmpty else { throw .emptyNote }
        case .signed:
            note.text = "\(try step.signedIn().id) \(step.at.milliseconds) \(step.makeID())"
        }
    }
}

private struct Desk: Sendable, Equatable {
    var notes: [Note] = []
    var edits = 0

    static func reduce(
        _ desk: inout Desk, _ action: (id: Int, Note.Action), _ step: Step
    ) throws(Rejection) {
        desk.edits += 1
        try Note.reduce(&desk.notes[try desk.notes.index(id: action.id)], action.1, step)
    }
}

extension Rejection {
    fileprivate static let emptyNote = Rejection("empty-note", "Write something.", field: "text")
}

/// The step of the third entry, sent by one who is known.
private func step(by principal: Principal? = Principal("alice")) -> Step {
    Step(
        by: principal, at: Timestamp(milliseconds: 7), version: 3, session: .local, epoch: "k3f9")
}

@Suite struct `A reducer that calls the reducer of a part` {
    @Test(arguments: [
        (1, Note.Action.edited(""), Rejection.emptyNote), (3, .edited("x"), .outOfScope),
    ])
    fileprivate func `hands on what the part refuses, and the whole stays as it was`(
        id: Int, action: Note.Action, rejection: Rejection
    ) {
        let start = Desk(notes: [Note(id: 1, text: "a")])
        let store = Store(
            initial: start, reducer: Desk.reduce,
            environment: Environment(now: { Timestamp(milliseconds: 0) }))
        #expect(store.dispatch((id, action)) == .rejected(rejection))
        #expect(store.state == start)
    }

    @Test func `gives it the step, whose ids go on in the next part`() throws {
        var desk = Desk(notes: [Note(id: 1), Note(id: 2)])
        let step = step()
        for id in 1...2 { try Desk.reduce(&desk, (id, .signed), step) }
        #expect(desk.notes.map(\.text) == ["alice 7 k3f9-3", "alice 7 k3f9-3.2"])
    }

    @Test(arguments: [nil, Principal.anonymous])
    func `refuses for the part one who is not known`(principal: Principal?) {
        var desk = Desk(notes: [Note(id: 1)])
        #expect(throws: Rejection.notSignedIn) {
            try Desk.reduce(&desk, (1, .signed), step(by: principal))
        }
    }
}

@Suite struct `The place of an id` {
    private let notes = [Note(id: 1, text: "a"), Note(id: 2, text: "b"), Note(id: 2, text: "c")]

    @Test func `is that of the first element that has it`() throws {
        #expect(try notes.index(id: 2) == 1)
        #expect(notes.first(id: 2)?.text == "b")
        #expect(try notes[2...].index(id: 2) == 2)
    }

    @Test func `is out of scope where no element has it`() {
        #expect(throws: Rejection.outOfScope) { try notes.index(id: 3) }
        #expect(Rejection.outOfScope.code == "out-of-scope")
        #expect(Rejection.outOfScope.kind == .conflict)
        #expect(notes.first(id: 3) == nil)
        #expect(notes.first(id: nil) == nil)
    }
}

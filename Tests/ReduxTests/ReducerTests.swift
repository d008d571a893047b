import Testing

@testable import Redux

/// A note: a feature with a reducer, which knows nothing of the wholes that it lies in.
private struct Note: Sendable, Equatable, Identifiable {
    enum Action: Sendable {
        case edited(String)
        case signed
        /// Changes the last of the drafts.
        case drafted(Int)
    }

    var id: Int
    var text = ""
    var drafts: [Int] = []

    static func reduce(_ note: inout Note, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .edited(let text):
            note.text = text
            guard !text.isEmpty else { throw .emptyNote }
        case .signed:
            note.text = "\(try step.signedIn().id) \(step.at.milliseconds) \(step.makeID())"
        case .drafted(let draft):
            guard let last = note.drafts.indices.last else { return }
            note.drafts[last] = draft
        }
    }
}

private enum Screen: Sendable, Equatable {
    case loading
    case shown(Note)
}

/// A list of notes with a count of its own, under several kinds of roof.
private struct Desk: Sendable, Equatable {
    enum Action: Sendable {
        case top(Note.Action)
        case open(Note.Action)
        case screen(Note.Action)
        case note(id: Int, Note.Action)
        case named(String, Note.Action)
        /// Is passed over where nothing is open.
        case openIfAny(Note.Action)
    }

    var top = Note(id: 0)
    var open: Note?
    var screen = Screen.loading
    var notes: [Note] = []
    var byName: [String: Note] = [:]
    var edits = 0

    static func reduce(_ desk: inout Desk, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .top(let action): try Note.reduce(&desk.top, action, step)
        case .open(let action):
            guard var note = desk.open.take() else { throw .outOfScope }
            defer { desk.open = note }
            try Note.reduce(&note, action, step)
        case .screen(let action):
            guard case .shown(var note) = desk.screen else { throw .outOfScope }
            try Note.reduce(&note, action, step)
            desk.screen = .shown(note)
        case .note(let id, let action):
            try Note.reduce(&desk.notes[try desk.notes.index(id: id)], action, step)
        case .named(let name, let action):
            guard let index = desk.byName.index(forKey: name) else { throw .signedOut }
            try Note.reduce(&desk.byName.values[index], action, step)
        case .openIfAny(let action):
            guard desk.open != nil else { return }
            try reduce(&desk, .open(action), step)
        }
        desk.edits += 1
    }
}

extension Rejection {
    fileprivate static let emptyNote = Rejection("empty-note", "Write something.", field: "text")
    fileprivate static let signedOut = Rejection("signed-out", "Sign in.", kind: .conflict)
}

/// The step of the third entry, sent by one who is known.
private func step(by principal: Principal? = Principal("alice")) -> Step {
    Step(
        by: principal, at: Timestamp(milliseconds: 7), version: 3, session: .local, epoch: "k3f9")
}

private func after(_ actions: Desk.Action..., from start: Desk) throws(Rejection) -> Desk {
    var desk = start
    for action in actions { try Desk.reduce(&desk, action, step()) }
    return desk
}

@Suite struct `A reducer that calls the reducer of a part` {
    @Test func `runs it on a field`() throws {
        let desk = try after(.top(.edited("x")), from: Desk())
        #expect(desk == Desk(top: Note(id: 0, text: "x"), edits: 1))
    }

    @Test func `runs it on an optional that is there`() throws {
        let desk = try after(.open(.edited("x")), from: Desk(open: Note(id: 1)))
        #expect(desk == Desk(open: Note(id: 1, text: "x"), edits: 1))
    }

    @Test func `runs it on the case that is there, and keeps to it`() throws {
        let desk = try after(.screen(.edited("x")), from: Desk(screen: .shown(Note(id: 1))))
        #expect(desk == Desk(screen: .shown(Note(id: 1, text: "x")), edits: 1))
    }

    @Test func `runs it on the first element that has the id`() throws {
        let notes = [Note(id: 1), Note(id: 2), Note(id: 2)]
        let desk = try after(.note(id: 2, .edited("x")), from: Desk(notes: notes))
        #expect(desk.notes == [Note(id: 1), Note(id: 2, text: "x"), Note(id: 2)])
    }

    @Test func `runs it on the value that the key has`() throws {
        let desk = try after(
            .named("b", .edited("x")), from: Desk(byName: ["a": Note(id: 1), "b": Note(id: 2)]))
        #expect(desk.byName == ["a": Note(id: 1), "b": Note(id: 2, text: "x")])
    }

    @Test(arguments: [
        (Desk.Action.open(.edited("x")), Rejection.outOfScope),
        (.screen(.edited("x")), .outOfScope), (.note(id: 3, .edited("x")), .outOfScope),
        (.named("c", .edited("x")), .signedOut),
    ])
    fileprivate func `refuses what is for nothing that is there, with a reason of its choice`(
        action: Desk.Action, rejection: Rejection
    ) {
        let start = Desk(notes: [Note(id: 1)], byName: ["a": Note(id: 1)])
        var desk = start
        #expect(throws: rejection) { try Desk.reduce(&desk, action, step()) }
        #expect(desk == start)
    }

    @Test func `may pass over what is for nothing that is there`() throws {
        #expect(try after(.openIfAny(.edited("x")), from: Desk()) == Desk())
        let desk = try after(.openIfAny(.edited("x")), from: Desk(open: Note(id: 1)))
        #expect(desk.open?.text == "x")
    }

    @Test func `hands on what the part refuses, with its field, and stops there`() {
        for (action, start) in [
            (Desk.Action.top(.edited("")), Desk(top: Note(id: 0, text: "a"))),
            (.open(.edited("")), Desk(open: Note(id: 1, text: "a"))),
            (.screen(.edited("")), Desk(screen: .shown(Note(id: 1, text: "a")))),
            (.note(id: 1, .edited("")), Desk(notes: [Note(id: 1, text: "a")])),
            (.named("a", .edited("")), Desk(byName: ["a": Note(id: 1, text: "a")])),
        ] {
            let store = Store(
                initial: start, reducer: Desk.reduce,
                environment: Environment(now: { Timestamp(milliseconds: 0) }))
            #expect(store.dispatch(action) == .rejected(.emptyNote))
            #expect(store.state == start)
        }
    }

    @Test func `loses nothing of the whole where the part refuses`() {
        var desk = Desk(open: Note(id: 1, text: "a"), notes: [Note(id: 1)], edits: 4)
        #expect(throws: Rejection.emptyNote) {
            try Desk.reduce(&desk, .open(.edited("")), step())
        }
        #expect(desk.open?.id == 1)
        #expect(desk.edits == 4)
    }

    @Test func `gives it the step, whose ids go on in the next part`() throws {
        var desk = Desk()
        let step = step()
        try Desk.reduce(&desk, .top(.signed), step)
        #expect(desk.top.text == "alice 7 k3f9-3")
        desk.open = Note(id: 1)
        try Desk.reduce(&desk, .open(.signed), step)
        #expect(desk.open?.text == "alice 7 k3f9-3.2")
    }

    @Test func `refuses for the part one who is not known`() {
        var desk = Desk()
        for principal in [nil, Principal.anonymous] {
            #expect(throws: Rejection.notSignedIn) {
                try Desk.reduce(&desk, .top(.signed), step(by: principal))
            }
        }
    }

    @Test func `runs several in its order, each on what the one before did`() throws {
        let double: Reducer<Int, Int> = { number, _, _ in number *= 2 }
        let add: Reducer<Int, Int> = { number, summand, _ in number += summand }
        let both: Reducer<Int, Int> = { (number, summand, step) throws(Rejection) in
            for reducer in [add, double] { try reducer(&number, summand, step) }
        }
        var number = 3
        try both(&number, 1, step())
        #expect(number == 8)
    }

    @Test func `changes an array in place, however deep it lies`() throws {
        func drafts() -> [Int] {
            var drafts = Array(0..<10)
            drafts.reserveCapacity(10_000)
            return drafts
        }
        var desk = Desk(
            top: Note(id: 0, drafts: drafts()), open: Note(id: 1, drafts: drafts()),
            notes: [Note(id: 2, drafts: drafts())], byName: ["a": Note(id: 3, drafts: drafts())])
        for action: Desk.Action in [
            .top(.drafted(7)), .open(.drafted(7)), .note(id: 2, .drafted(7)),
            .named("a", .drafted(7)),
        ] {
            try Desk.reduce(&desk, action, step())
        }
        let notes: [Note?] = [desk.top, desk.open, desk.notes.first, desk.byName["a"]]
        for note in notes {
            #expect(note?.drafts.last == 7)
            // A copy would have room for its elements only.
            #expect(note?.drafts.capacity ?? 0 >= 10_000)
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

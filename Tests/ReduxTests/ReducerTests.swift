import Redux
import Testing

/// A list of notes with a count of its own, under several kinds of roof.
private struct Note: Sendable, Equatable {
    var id: Int
    var text = ""
}

private enum NoteAction: Sendable { case edited(String) }

private let note = Reducer<Note, NoteAction> { (note, action) throws(Rejection) in
    guard case .edited(let text) = action else { return }
    note.text = text
    guard !text.isEmpty else { throw Rejection(code: "empty-note", message: "Write something.") }
}

private enum Screen: Sendable, Equatable {
    case loading
    case shown(Note)

    static let shownNote: @Sendable (Screen) -> Note? = {
        if case .shown(let note) = $0 { note } else { nil }
    }
}

private struct Desk: Sendable, Equatable {
    var open: Note?
    var screen = Screen.loading
    var notes: [Note] = []
    var byName: [String: Note] = [:]
    var edits = 0
}

private enum DeskAction: Sendable {
    case open(NoteAction)
    case screen(NoteAction)
    case note(id: Int, NoteAction)
    case named(String, NoteAction)
}

private let desk = Reducer<Desk, DeskAction>.combine(
    note.onOptional().onField(\.open)
        .onAction { if case .open(let action) = $0 { action } else { nil } },
    note.onCase(extract: Screen.shownNote, embed: Screen.shown).onField(\.screen)
        .onAction { if case .screen(let action) = $0 { action } else { nil } },
    note.onElement(by: \.id).onField(\.notes)
        .onAction { if case .note(let id, let action) = $0 { (id, action) } else { nil } },
    note.onValue(of: String.self).onField(\.byName)
        .onAction { if case .named(let name, let action) = $0 { (name, action) } else { nil } },
    Reducer { (desk, _) throws(Rejection) in desk.edits += 1 })

private func after(
    _ actions: DeskAction..., from start: Desk = Desk(),
    by reducer: Reducer<Desk, DeskAction> = desk
) throws(Rejection) -> Desk {
    var state = start
    for action in actions { try reducer.reduce(&state, action) }
    return state
}

@Suite struct `Reducers of parts` {
    @Test func `run on an optional that is there`() throws {
        let state = try after(.open(.edited("x")), from: Desk(open: Note(id: 1)))
        #expect(state == Desk(open: Note(id: 1, text: "x"), edits: 1))
    }

    @Test func `run on the case that is there, and keep to it`() throws {
        let state = try after(.screen(.edited("x")), from: Desk(screen: .shown(Note(id: 1))))
        #expect(state == Desk(screen: .shown(Note(id: 1, text: "x")), edits: 1))
    }

    @Test func `run on the first element that has the id`() throws {
        let notes = [Note(id: 1), Note(id: 2), Note(id: 2)]
        let state = try after(.note(id: 2, .edited("x")), from: Desk(notes: notes))
        #expect(state.notes == [Note(id: 1), Note(id: 2, text: "x"), Note(id: 2)])
    }

    @Test func `run on the value that the key has`() throws {
        let state = try after(
            .named("b", .edited("x")), from: Desk(byName: ["a": Note(id: 1), "b": Note(id: 2)]))
        #expect(state.byName == ["a": Note(id: 1), "b": Note(id: 2, text: "x")])
    }

    @Test(arguments: [
        DeskAction.open(.edited("x")), .screen(.edited("x")), .note(id: 3, .edited("x")),
        .named("c", .edited("x")),
    ])
    fileprivate func `refuse what is for nothing that is there`(action: DeskAction) {
        let start = Desk(notes: [Note(id: 1)], byName: ["a": Note(id: 1)])
        var state = start
        #expect(throws: Rejection.outOfScope) { try desk.reduce(&state, action) }
        #expect(state == start)
    }

    @Test func `refuse with a reason of their own, or pass over it`() throws {
        let signedOut = Rejection(code: "signed-out", message: "Sign in.", kind: .conflict)
        let open: @Sendable (DeskAction) -> NoteAction? = {
            if case .open(let action) = $0 { action } else { nil }
        }
        let refusing = note.onOptional(otherwise: signedOut).onField(\Desk.open).onAction(open)
        #expect(throws: signedOut) { try after(.open(.edited("x")), by: refusing) }
        let passing = note.onOptional(otherwise: nil).onField(\Desk.open).onAction(open)
        #expect(try after(.open(.edited("x")), by: passing) == Desk())
    }

    @Test func `of absent elements, cases and keys may pass over it too`() throws {
        var notes = [Note(id: 1)]
        try note.onElement(by: \.id, otherwise: nil).reduce(&notes, (2, .edited("x")))
        #expect(notes == [Note(id: 1)])
        var screen = Screen.loading
        try note.onCase(extract: Screen.shownNote, embed: Screen.shown, otherwise: nil)
            .reduce(&screen, .edited("x"))
        #expect(screen == .loading)
        var byName: [String: Note] = [:]
        try note.onValue(of: String.self, otherwise: nil).reduce(&byName, ("a", .edited("x")))
        #expect(byName.isEmpty)
    }

    @Test func `hand on what a part refuses, and stop there`() {
        let rejection = Rejection(code: "empty-note", message: "Write something.")
        for (action, start) in [
            (DeskAction.open(.edited("")), Desk(open: Note(id: 1, text: "a"))),
            (.screen(.edited("")), Desk(screen: .shown(Note(id: 1, text: "a")))),
            (.note(id: 1, .edited("")), Desk(notes: [Note(id: 1, text: "a")])),
            (.named("a", .edited("")), Desk(byName: ["a": Note(id: 1, text: "a")])),
        ] {
            let store = Store(
                initial: start, reducer: desk,
                environment: Environment(now: { Timestamp(milliseconds: 0) }))
            #expect(store.dispatch(action) == .rejected(rejection))
            #expect(store.state == start)
        }
    }

    @Test func `that reject lose nothing of the whole`() {
        var state = Desk(open: Note(id: 1, text: "a"), notes: [Note(id: 1)], edits: 4)
        #expect(throws: Rejection.self) { try desk.reduce(&state, .open(.edited(""))) }
        #expect(state.open?.id == 1)
        #expect(state.edits == 4)
    }

    @Test func `combine in their order, each on what the one before did`() throws {
        let double = Reducer<Int, Int> { (state, _) throws(Rejection) in state *= 2 }
        let add = Reducer<Int, Int> { (state, number) throws(Rejection) in state += number }
        var state = 3
        try Reducer.combine(add, double).reduce(&state, 1)
        #expect(state == 8)
        try Reducer.combine([double, add]).reduce(&state, 1)
        #expect(state == 17)
        try Reducer<Int, Int>.combine().reduce(&state, 1)
        #expect(state == 17)
    }

    @Test func `change an array in place, however deep it lies`() throws {
        let bump = Reducer<Int, Int> { (element, number) throws(Rejection) in element += number }
        let reducer = bump.onElement(by: \.self).onOptional()
        var numbers = Array(0..<10)
        numbers.reserveCapacity(10_000)
        var state = Optional(numbers)
        numbers = []
        try reducer.reduce(&state, (9, 1))
        #expect(state?.last == 10)
        // A copy would have room for its elements only.
        #expect(state?.capacity ?? 0 >= 10_000)
    }
}

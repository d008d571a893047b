import Redux
import StatecastClient

/// A board of notes: what is written on it can be told apart, so that nothing appears on it twice unseen,
/// and no change leads back to what it was before.
struct Board: StateValue {
    struct Note: StateValue, Identifiable {
        let id: String
        let owner: String?
        var text: String
    }

    var notes: [Note] = []
    var strokes = 0
    var drawn: [UInt64] = []
    /// What a view hides.
    var isClosed = false

    static let limit = 8
}

enum BoardAction: ActionGroup {
    case written(text: String)
    case rewritten(id: String, text: String)
    case wiped(id: String)
    case stroked
    case drawn
    case closed
}

enum BoardModel: Model {
    static func reduce(
        _ state: inout Board, _ action: BoardAction, _ step: Step
    ) throws(Rejection) {
        if state.isClosed { throw Rejection("closed", "It is closed.", kind: .conflict) }
        switch action {
        case .written(let text):
            guard state.notes.count < Board.limit else {
                throw Rejection("full", "It is full.", kind: .conflict)
            }
            state.notes.append(.init(id: step.makeID(), owner: step.by?.id, text: text))
        case .rewritten(let id, let text):
            state.notes[try state.notes.index(id: id)].text = text
        case .wiped(let id):
            state.notes.remove(at: try state.notes.index(id: id))
            state.strokes += 1
        case .stroked: state.strokes += 1
        case .drawn:
            var generator = step.makeGenerator()
            state.drawn.append(generator.next())
        case .closed: state.isClosed = true
        }
    }
}

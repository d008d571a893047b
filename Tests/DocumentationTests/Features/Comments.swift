import Statecast

/// A comment that is shown at once, tried four times, then retried or dismissed by hand.
struct Comments: Application {
    enum Status: StateValue { case sending, sent, failed(Problem) }
    struct Comment: StateValue, Identifiable {
        var id, author, text: String, status = Status.sending
    }
    struct State: StateValue { var comments: [Comment] = [] }
    enum Action: ActionGroup {
        case written(text: String), retried(id: String), dismissed(id: String)
        case posted(id: String, answer: Answer<Done>)
    }

    let initialState = State(), views = Views<State>.all
    let post: @Sendable (_ text: String, _ id: String) async throws -> Void

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .written(let text):
            guard !text.isEmpty else { throw Rejection("empty", "Say something.", field: "text") }
            state.comments.append(
                Comment(id: step.makeID(), author: try step.signedIn().id, text: text))
        case .retried(let id): state.comments[try state.comments.index(id: id)].status = .sending
        case .dismissed(let id): state.comments.remove(at: try state.comments.index(id: id))
        case .posted(let id, let answer):
            let status = answer.problem.map { Status.failed($0) } ?? .sent
            state.comments[try state.comments.index(id: id)].status = status
        }
    }

    func work(in state: State) -> [Work<Action>] {
        for comment in state.comments where comment.status == .sending {
            Work(["post", comment.id], for: comment.text, policy: .retrying(3)) {
                try await post($0, comment.id)
            } then: {
                .posted(id: comment.id, answer: $0)
            }
        }
    }
}

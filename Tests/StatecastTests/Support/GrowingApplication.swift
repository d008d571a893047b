import Statecast

/// A state that is as deep or as large as a client wants.
struct GrowingApplication: PlainApplication {
    struct State: StateValue {
        var tree = Tree.leaf(0)
        var text = ""
    }

    indirect enum Tree: Codable, Equatable, Sendable {
        case leaf(Int)
        case branch(Tree)

        /// So many branches, and a leaf.
        init(depth: Int, leaf: Int) {
            self = .leaf(leaf)
            for _ in 0..<depth { self = .branch(self) }
        }

        /// How many branches lie above the leaf.
        var depth: Int {
            var depth = 0
            var tree = self
            while case .branch(let next) = tree {
                depth += 1
                tree = next
            }
            return depth
        }
    }

    enum Action: ActionGroup {
        case planted(Tree)
        case grown(by: Int)
        case written(String)
        case filled(character: String, count: Int)
    }

    var initialState = State()

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .planted(let tree): state.tree = tree
        case .grown(let count):
            guard state.tree.depth + count <= 1_000 else {
                throw Rejection("too-high", "It does not grow into the sky.")
            }
            for _ in 0..<count { state.tree = .branch(state.tree) }
        case .written(let text): state.text = text
        case .filled(let character, let count):
            state.text = String(repeating: character, count: count)
        }
    }

    var views: Views<State> {
        Views(state: .all, View("depth") { state in state.tree.depth })
    }
}

import Statecast

/// An application whose state everybody sees whole, and which has no work, where it does not say
/// otherwise.
protocol PlainApplication: Application {}

extension PlainApplication {
    var views: Views<State> { .all }
    func work(in state: State) -> [Work<Action>] { [] }
}

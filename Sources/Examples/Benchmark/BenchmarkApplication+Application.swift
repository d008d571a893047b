public import BenchmarkModel
public import Statecast

extension BenchmarkApplication: Application {
    /// The state, and each record by its place: `?view=record&item=7`.
    public var views: Views<State> {
        Views(
            state: .all,
            View("record", by: { $1.arguments["item"].flatMap { Int($0) } ?? 0 }) { state, place in
                state.items.indices.contains(place) ? state.items[place] : nil
            })
    }

    public func work(in state: State) -> [Work<Action>] {}
}

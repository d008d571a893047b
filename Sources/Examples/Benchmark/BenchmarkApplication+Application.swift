public import BenchmarkModel
public import Statecast

extension BenchmarkApplication: Application {
    public var views: Views<State> { .all }

    public func work(in state: State) -> [Work<Action>] {}
}

public import CounterModel
public import Statecast

extension CounterApplication: Application {
    public var rejectionCodes: [String] { ["out-of-range"] }

    public var views: Views<State> { .all }

    public func work(in state: State) -> [Work<Action>] {}
}

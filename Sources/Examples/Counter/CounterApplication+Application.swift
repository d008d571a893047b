package import CounterModel
package import Statecast

extension CounterApplication: Application {
    package var views: Views<State> { .all }

    package func work(in state: State) -> [Work<Action>] {}
}

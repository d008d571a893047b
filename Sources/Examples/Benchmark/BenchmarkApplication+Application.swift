package import BenchmarkModel
package import Statecast

extension BenchmarkApplication: Application {
    package var views: Views<State> { .all }

    package func work(in state: State) -> [Work<Action>] {}
}

import Redux
import Statecast

extension Reducer {
    static func of<App: Application>(
        _ application: App
    ) -> Reducer where State == App.State, Action == Dispatched<App.Action, App.Fact> {
        Reducer { (state, input) throws(Rejection) in
            switch input {
            case .action(let action): try application.reduce(&state, action: action)
            case .fact(let fact): try application.reduce(&state, fact: fact)
            }
        }
    }
}

import Statecast
import StatecastTesting

/// Lockers in a row, of which each viewer is shown the code of their own.
struct LockersApplication: PlainApplication {
    struct Locker: StateValue {
        var owner: String
        var code: Secret<String>
        var pin: Secret<Int>?
    }

    struct State: StateValue {
        var lockers: [Locker] = []
    }

    enum Action: ActionGroup {
        case taken(code: Secret<String>, pin: Secret<Int>?)
        case left
    }

    static var configuration: ServerConfiguration {
        var configuration = TestServer.configuration
        configuration.authorize = { request in
            let name = request.authorization?.split(separator: " ").last.map(String.init)
            return name.map { .granted(Principal($0, roles: ["act", "observe"])) }
                ?? .unauthenticated
        }
        return configuration
    }

    let initialState = State()

    var views: Views<State> {
        Views(
            state: View(by: { $1.name }) { state, id in
                state.lockers.first { $0.owner == id }?.code.value
            })
    }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        let name = try step.signedIn().id
        switch action {
        case .taken(let code, let pin):
            state.lockers.append(Locker(owner: name, code: code, pin: pin))
        case .left: state.lockers.removeAll { $0.owner == name }
        }
    }
}

import Redux
import StateCoding

/// The state that `Application.start` has made.
struct StartedSession<App: Application>: StartedState {
    let state: App.State

    /// Has an application begin a session; throws where the input or the application refuse that.
    init(_ application: App, with input: SessionStart.Input, _ step: Step) throws(StartRefusal) {
        let input = try Self.read(input)
        var state = application.initialState
        do throws(Rejection) {
            try application.start(&state, with: input, step)
        } catch {
            throw .rejected(error)
        }
        self.state = state
    }

    private static func read(_ input: SessionStart.Input) throws(StartRefusal) -> App.Input? {
        switch input {
        case .none: return nil
        case .value(let value):
            guard let input = value as? App.Input else {
                preconditionFailure("An input is of the type that its application declares.")
            }
            return input
        case .json(let bytes):
            guard App.Input.self != Never.self else { throw .noInput }
            do throws(DecodingFailure) {
                return try StateDecoder().decode(App.Input.self, from: bytes)
            } catch {
                throw .unreadable(error)
            }
        }
    }

    func json() throws(EncodingFailure) -> [UInt8] {
        var output: [UInt8] = []
        try StateEncoder().encode(state, into: &output)
        return output
    }
}

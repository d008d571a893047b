import Redux
import StateCoding
import Statecast

extension Views where State: Encodable {
    /// The value that a viewer is shown of a state, once it has been through JSON; nil where that is
    /// out of scope.
    ///
    /// - Parameter name: the view's; nil for the view that stands for the state.
    func value<Value: Decodable>(
        of name: String?, for viewer: Viewer, in state: State
    ) throws -> Value? {
        if let name, !names.contains(name) { throw TestFailure.noView(name) }
        guard let json = try json(of: name, for: viewer, in: state) else { return nil }
        return try StateDecoder().decode(Value.self, from: json.span)
    }
}

public import Redux
import StateCoding
import Statecast

extension TestStore where State: Encodable {
    /// The value that a view shows to a principal, as its client would decode it; nil where it shows
    /// nothing: `try store.seen(by: bob, as: Table.self)?.hand == [7, 12]`.
    ///
    /// - Parameter name: the view's; nil for the one that stands for the state.
    public func seen<Value: Decodable>(
        by principal: Principal, as type: Value.Type = Value.self, view name: String? = nil,
        arguments: [String: String] = [:]
    ) throws -> Value? {
        if let name, !views.names.contains(name) { throw TestFailure.noView(name) }
        let viewer = Viewer(principal, arguments: arguments)
        guard let json = try views.json(of: name, for: viewer, in: state) else { return nil }
        return try StateDecoder().decode(Value.self, from: json.span)
    }
}

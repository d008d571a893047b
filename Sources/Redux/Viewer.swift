/// The one to whom a session is shown: what is seen may differ from viewer to viewer.
///
///     View("mine") { state, viewer in state.items.filter { $0.owner == viewer.id } }
public struct Viewer: Hashable, Sendable {
    /// The answer of access control; anonymous where nothing asks who a client is.
    public let principal: Principal
    /// The parameters of the query beside the view's name: `["id": "17"]` of
    /// `?view=item&id=17`. The view that stands for the state has none.
    public let arguments: [String: String]

    /// The principal's name.
    public var id: String { principal.id }

    /// A principal that looks, with the arguments of its query.
    public init(_ principal: Principal, arguments: [String: String] = [:]) {
        self.principal = principal
        self.arguments = arguments
    }
}

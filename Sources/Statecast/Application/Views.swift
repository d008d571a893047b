package import Sessions

/// The views of an application: one that stands for the state, and others that clients ask for by
/// their names.
///
///     let views = Views<State>.all
///
///     var views: Views<State> {
///         Views(
///             state: View(by: { state, viewer in state.seat(of: viewer.id) }) { state, seat in
///                 Table(hand: seat.map { state.hands[$0] }, pile: state.pile)
///             },
///             View("pile") { state in state.pile })
///     }
///
/// Everything that shows the state shows a client the view that stands for it: `GET …/state` and
/// its long-polls, the stream of events, selections, and the answers of
/// `Prefer: return=representation`.
public struct Views<State: Sendable>: Sendable {
    /// The view that stands for the state.
    let state: View<State>
    /// The views that have names.
    let named: [View<State>]

    /// Views.
    ///
    /// - Parameters:
    ///   - state: stands for the state, and has no name; `.all` shows it as it is, `.nothing` leaves
    ///     clients the named views alone.
    ///   - named: are asked for by `?view=`; two of one name are an error when the server starts.
    public init(state: View<State>, _ named: View<State>...) {
        self.state = state
        self.named = named
    }

    /// Everybody sees the whole state as it is.
    public static var all: Views { Views(state: .all) }

    /// The view of a name; of no name, the one that stands for the state.
    func find(_ name: String?) -> View<State>? {
        guard let name else { return state }
        return named.first { $0.name == name }
    }

    /// The names of all views; nil for the one that stands for the state.
    package var names: [String?] { [nil] + named.map(\.name) }

    /// A view has this name.
    package func has(_ name: String) -> Bool { find(name) != nil }

    /// The sentence that says what is wrong with the views, and what to write instead; nil where
    /// they are good.
    package var fault: String? {
        if let name = state.name {
            return
                "The view that stands for the state has no name, and here is called \"\(name)\": "
                + "leave the name out, and list the view behind it to have it under a name as well."
        }
        var names: Set<String> = []
        for view in named {
            guard let name = view.name else {
                return "A view beside that of the state has no name, so that no client can ask for "
                    + "it: write View(\"name\") { … }."
            }
            guard names.insert(name).inserted else {
                return "Two views are called \"\(name)\": rename one of them."
            }
        }
        return nil
    }

    /// The code of the view of a name; nil where there is none, or the state is shown as it is.
    ///
    /// It is asked for each class of viewers at each change: in a closure, the types would be looked
    /// up again and again.
    private func code(of name: String?) -> ViewCode<State>? {
        guard let name else { return state.code }
        for index in 0..<named.count where named[index].name == name { return named[index].code }
        return nil
    }

    // MARK: What viewers are shown of a state

    /// The class of a viewer; nil where the view is one for everybody.
    package func viewerClass(of viewer: Viewer, for name: String?, in state: State) -> ViewerClass?
    {
        code(of: name)?.classify?(state, viewer)
    }

    /// The viewers of a view that are not of the class of their group.
    package func leavers(
        of name: String?, among groups: Span<ViewerGroup>, in state: State
    ) -> [ViewerGroup.Leavers] {
        code(of: name)?.findLeavers?(state, groups) ?? []
    }

    /// The places of those inputs of a view that are others by the state; nil where each class has
    /// to be asked for its own.
    ///
    /// - Parameter inputs: what the view has left in its outputs.
    package func changes(
        of name: String?, among inputs: Span<AnyObject?>, in state: State
    ) -> [Int]? {
        code(of: name)?.findChanges?(state, inputs)
    }

    /// Takes down what a class of viewers is shown.
    package func encode(
        _ view: ShownView, of state: State, to output: inout ViewOutput
    ) throws(EncodingFailure) -> ViewContent {
        guard let code = code(of: view.name) else { return .outOfScope }
        return try code.encode(state, view.viewerClass, &output)
    }

    /// The JSON that a viewer is shown of a state; nil where that is out of scope.
    ///
    /// - Parameter name: the view's; nil for the view that stands for the state.
    package func json(
        of name: String?, for viewer: Viewer, in state: State
    ) throws(EncodingFailure) -> [UInt8]? where State: Encodable {
        guard let view = find(name) else { return nil }
        var output = ViewOutput.text()
        guard let code = view.code else {
            try output.write(state)
            return output.bytes
        }
        let content = try code.encode(state, code.classify?(state, viewer), &output)
        return content == .encoded ? output.bytes : nil
    }
}

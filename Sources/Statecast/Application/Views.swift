package import Redux
package import Sessions
package import StateCoding

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
    ///
    /// It is asked for each class of viewers at each change: in a closure, the types would be looked
    /// up again and again.
    func find(_ name: String?) -> View<State>? {
        guard let name else { return state }
        for index in 0..<named.count where named[index].name == name { return named[index] }
        return nil
    }

    /// The names of all views; nil for the one that stands for the state.
    package var names: [String?] { [nil] + named.map(\.name) }

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

    /// The JSON that a viewer is shown of a state; nil where that is out of scope.
    ///
    /// - Parameter name: the view's; nil for the view that stands for the state.
    package func json(
        of name: String?, for viewer: Viewer, in state: State
    ) throws(EncodingFailure) -> [UInt8]? where State: Encodable {
        guard let view = find(name) else { return nil }
        var output = ViewOutput()
        if let code = view.code {
            try code.encode(state, code.classify?(state, viewer), &output)
        } else {
            try output.write(state)
        }
        if case .text(let json) = output.content { return json }
        return nil
    }
}

/// A store that shows its state by the views of an application.
package protocol ViewedStore: ShowsState {
    associatedtype State: StateValue
    var views: Views<State> { get }
    /// Throws where this build of the application cannot read the state: it shows nothing of it then.
    func readState() throws(EncodingFailure) -> State
}

extension ViewedStore {
    package var showsState: Bool { views.state.code == nil }
    package func hasView(_ name: String) -> Bool { views.find(name) != nil }

    private var readable: State? { try? readState() }

    package func viewerClass(of viewer: Viewer, for view: String?) -> ViewerClass? {
        guard let classify = views.find(view)?.code?.classify else { return nil }
        return readable.map { classify($0, viewer) }
    }

    /// All, where the state cannot be read.
    package func leavers(
        ofView name: String?, among groups: Span<ViewerGroup>
    ) -> [ViewerGroup.Leavers] {
        guard let find = views.find(name)?.code?.findLeavers else { return [] }
        guard let state = readable else {
            return groups.indices.map { ($0, Array(groups[$0].viewers.indices)) }
        }
        return find(state, groups)
    }

    package func changes(ofView name: String?, among inputs: Span<AnyObject?>) -> [Int]? {
        guard let find = views.find(name)?.code?.findChanges, let state = readable else {
            return nil
        }
        return find(state, inputs)
    }

    package func encodeView(
        _ view: ShownView, to output: inout ViewOutput
    ) throws(EncodingFailure) {
        guard let code = views.find(view.name)?.code else { return output.leaveScope() }
        try code.encode(try readState(), view.viewerClass, &output)
    }

    package func encodePast(
        _ json: [UInt8], view name: String?, for viewer: Viewer
    ) throws(EncodingFailure) -> (json: [UInt8]?, viewerClass: ViewerClass?) {
        let state = try Self.state(of: json)
        let json = try views.json(of: name, for: viewer, in: state)
        return (json, views.find(name)?.code?.classify?(state, viewer))
    }

    /// The state that JSON of before holds: its secrets are kept nowhere, and those of now may be
    /// another's.
    package static func state(of json: [UInt8]) throws(EncodingFailure) -> State {
        do throws(DecodingFailure) {
            return try StateDecoder().decode(State.self, from: json)
        } catch {
            throw EncodingFailure(
                reason: .refused, pointer: error.pointer,
                detail: "A state of the recording cannot be read: \(error.detail)")
        }
    }
}

public import Redux

/// Something that clients are shown of the state: computed, never stored.
///
///     View("to-buy") { state in state.items.filter { !$0.isBought } }
///     View("mine") { state, viewer in state.items.filter { $0.owner == viewer.id } }
///     View("item", by: { $1.arguments["id"] }) { state, id in state.items.first(id: id) }
///
/// `GET …/state?view=item&id=17`. Nil is out of scope: there is nothing to show.
///
/// A view is encoded once for all who are shown the same: for everybody; for each viewer; or for
/// all viewers of one key, which can be any value. Where it has a key, the projection gets the key
/// and not the viewer, so that sharing shows nobody what was computed for somebody else. A key may
/// change with the state, as for a spectator who sits down: the viewer is then shown the other
/// projection.
///
/// The closures are pure functions of what they get: they are called where a state has changed, and
/// not where a viewer looks again.
public struct View<State: Sendable>: Sendable {
    /// The name in the query; nil for a view that stands for the state.
    let name: String?
    /// Nil where the state is shown as it is.
    let code: ViewCode<State>?

    @usableFromInline
    init(_ name: String?, _ code: ViewCode<State>?) {
        self.name = name
        self.code = code
    }

    /// The state as it is.
    public static var all: View { View(nil, nil) }

    /// Nothing: out of scope for every viewer.
    public static var nothing: View {
        View { _ -> Never? in nil }
    }

    // MARK: Views of the state

    /// A view that shows everybody the same.
    ///
    /// - Parameter project: computes the value; nil where there is nothing to show.
    @inlinable
    public init<Value: Encodable & SendableMetatype>(
        _ name: String? = nil, _ project: @escaping @Sendable (State) -> Value?
    ) {
        self.init(name, ViewCode(project))
    }

    /// A view that is computed for each viewer: for many of them, a key costs less.
    ///
    /// - Parameter project: computes the value; nil where there is nothing to show.
    @inlinable
    public init<Value: Encodable & SendableMetatype>(
        _ name: String? = nil, _ project: @escaping @Sendable (State, Viewer) -> Value?
    ) {
        self.init(name, ViewCode(forEach: project))
    }

    /// A view that shows the same to all viewers of one key.
    ///
    /// - Parameters:
    ///   - key: tells what the viewer's projection depends on: a seat, a role, an argument. It is
    ///     asked of each viewer whenever the state has changed.
    ///   - project: computes the value; nil where there is nothing to show.
    @inlinable
    public init<Key: Hashable & Sendable, Value: Encodable & SendableMetatype>(
        _ name: String? = nil, by key: @escaping @Sendable (State, Viewer) -> Key,
        _ project: @escaping @Sendable (State, Key) -> Value?
    ) {
        self.init(name, ViewCode(key, project))
    }

    // MARK: Views of an input

    /// A view of a part of the state that shows everybody the same.
    ///
    /// - Parameters:
    ///   - input: the part of the state that the value is computed of: nothing is computed while it
    ///     is equal.
    ///   - project: computes the value; nil where there is nothing to show.
    @inlinable
    public init<Input: Equatable & SendableMetatype, Value: Encodable & SendableMetatype>(
        _ name: String? = nil, of input: @escaping @Sendable (State) -> Input,
        _ project: @escaping @Sendable (Input) -> Value?
    ) {
        self.init(name, ViewCode(of: input, project))
    }

    /// A view of a part of the state that shows the same to all viewers of one key.
    ///
    ///     View(
    ///         "hand", of: { state, seat in state.hands[seat] },
    ///         by: { state, viewer in state.seat(of: viewer.id) }
    ///     ) { hand, seat in hand.sorted() }
    ///
    /// - Parameters:
    ///   - input: the part of the state that the value for a key is computed of: nothing is
    ///     computed for those keys whose part is equal.
    ///   - key: tells what else the viewer's projection depends on.
    ///   - project: computes the value; nil where there is nothing to show.
    @inlinable
    public init<
        Input: Equatable & SendableMetatype, Key: Hashable & Sendable,
        Value: Encodable & SendableMetatype
    >(
        _ name: String? = nil, of input: @escaping @Sendable (State, Key) -> Input,
        by key: @escaping @Sendable (State, Viewer) -> Key,
        _ project: @escaping @Sendable (Input, Key) -> Value?
    ) {
        self.init(name, ViewCode(of: input, by: key, project))
    }
}

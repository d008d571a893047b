public import Redux
public import Sessions

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
        self.init(
            name,
            ViewCode(Value.self) { (state, _, output) throws(EncodingFailure) in
                try output.write(project(state))
            })
    }

    /// A view that is computed for each viewer: for many of them, a key costs less.
    ///
    /// - Parameter project: computes the value; nil where there is nothing to show.
    @inlinable
    public init<Value: Encodable & SendableMetatype>(
        _ name: String? = nil, _ project: @escaping @Sendable (State, Viewer) -> Value?
    ) {
        self.init(
            name,
            ViewCode(Value.self, { ViewerClass(of: $1) }) {
                (state, viewerClass, output) throws(EncodingFailure) in
                guard let viewer = viewerClass?.key(as: Viewer.self) else {
                    return output.leaveScope()
                }
                try output.write(project(state, viewer))
            })
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
        self.init(
            name,
            ViewCode(Value.self, by: key) { (state, key, output) throws(EncodingFailure) in
                try output.write(project(state, key))
            })
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
        self.init(
            name,
            ViewCode(Value.self) { (state, _, output) throws(EncodingFailure) in
                let input = input(state)
                guard ViewInput.renew(&output.input, input, for: ()) else { return }
                try output.write(project(input))
            })
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
        let code = ViewCode(
            Value.self, by: key, Self.findingChanges(of: input, for: Key.self)
        ) {
            (state, key, output) throws(EncodingFailure) in
            let input = input(state, key)
            guard ViewInput.renew(&output.input, input, for: key) else { return }
            try output.write(project(input, key))
        }
        self.init(name, code)
    }

    @inlinable
    static func findingChanges<Input: Equatable & SendableMetatype, Key: Sendable>(
        of input: @escaping @Sendable (State, Key) -> Input, for _: Key.Type
    ) -> ViewCode<State>.FindChanges {
        { state, inputs in
            inputs.indices.filter { place in
                guard let known = inputs[place] as? ViewInput<Input, Key> else { return true }
                return known.value != input(state, known.key)
            }
        }
    }
}

/// The code of a view, compiled for its types.
///
/// The initializers of `View` are inlined where the types are known, and so are these closures: to
/// ask a thousand viewers for their keys is to call one of them once.
@usableFromInline
final class ViewCode<State: Sendable>: Sendable {
    /// The class of a viewer.
    @usableFromInline
    typealias Classify = @Sendable (State, Viewer) -> ViewerClass

    /// The viewers that are not of the class of their group.
    @usableFromInline
    typealias FindLeavers = @Sendable (State, Span<ViewerGroup>) -> [ViewerGroup.Leavers]

    /// The places of those inputs, as the output has kept them, that are others now.
    @usableFromInline
    typealias FindChanges = @Sendable (State, Span<AnyObject?>) -> [Int]

    /// Takes down the value for a class of viewers.
    @usableFromInline
    typealias Encode =
        @Sendable (State, ViewerClass?, inout ViewOutput) throws(EncodingFailure) -> Void

    /// The type of the values.
    let value: Any.Type
    /// Nil where the view is one for everybody.
    let classify: Classify?
    /// Nil where the classes do not depend on the state.
    let findLeavers: FindLeavers?
    /// Nil where the view does not compare the inputs of several classes.
    let findChanges: FindChanges?
    let encode: Encode

    @usableFromInline
    init(
        _ value: Any.Type, _ classify: Classify? = nil, _ findLeavers: FindLeavers? = nil,
        _ findChanges: FindChanges? = nil, _ encode: @escaping Encode
    ) {
        self.value = value
        self.classify = classify
        self.findLeavers = findLeavers
        self.findChanges = findChanges
        self.encode = encode
    }

    /// One a key.
    @inlinable
    convenience init<Key: Hashable & Sendable>(
        _ value: Any.Type, by key: @escaping @Sendable (State, Viewer) -> Key,
        _ findChanges: FindChanges? = nil,
        _ encode:
            @escaping @Sendable (State, Key, inout ViewOutput) throws(EncodingFailure) -> Void
    ) {
        let findLeavers: FindLeavers = { state, groups in
            var leavers: [ViewerGroup.Leavers] = []
            for group in groups.indices {
                guard let shared = groups[group].viewerClass?.key(as: Key.self) else { continue }
                let viewers = groups[group].viewers.span
                var places: [Int] = []
                for place in viewers.indices where key(state, viewers[place]) != shared {
                    places.append(place)
                }
                if !places.isEmpty { leavers.append((group, places)) }
            }
            return leavers
        }
        self.init(value, { ViewerClass(key($0, $1)) }, findLeavers, findChanges) {
            (state, viewerClass, output) throws(EncodingFailure) in
            guard let key = viewerClass?.key(as: Key.self) else { return output.leaveScope() }
            try encode(state, key, &output)
        }
    }
}

/// The input that a view was last computed of, for the viewers of a key.
@usableFromInline
final class ViewInput<Input: Equatable, Key> {
    @usableFromInline let value: Input
    @usableFromInline let key: Key

    @inlinable
    init(_ value: Input, for key: Key) {
        self.value = value
        self.key = key
    }

    /// Holds the input from now on; false where an equal one was held.
    @inlinable
    static func renew(_ memory: inout AnyObject?, _ value: Input, for key: Key) -> Bool {
        if let known = memory as? ViewInput, known.value == value { return false }
        memory = ViewInput(value, for: key)
        return true
    }
}

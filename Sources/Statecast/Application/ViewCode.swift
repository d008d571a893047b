public import Redux
public import Sessions
public import StateCoding

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
        @Sendable (State, ViewerClass?, inout ViewOutput) throws(EncodingFailure) -> ViewContent

    /// Nil where the view is one for everybody.
    let classify: Classify?
    /// Nil where the classes do not depend on the state.
    let findLeavers: FindLeavers?
    /// Nil where the view does not compare the inputs of several classes.
    let findChanges: FindChanges?
    let encode: Encode

    @usableFromInline
    init(
        _ classify: Classify?, _ findLeavers: FindLeavers?, _ findChanges: FindChanges? = nil,
        _ encode: @escaping Encode
    ) {
        self.classify = classify
        self.findLeavers = findLeavers
        self.findChanges = findChanges
        self.encode = encode
    }

    /// One for everybody.
    @inlinable
    convenience init<Value: Encodable & SendableMetatype>(
        _ project: @escaping @Sendable (State) -> Value?
    ) {
        self.init(nil, nil) { (state, _, output) throws(EncodingFailure) in
            try Self.write(project(state), to: &output)
        }
    }

    /// One a key.
    @inlinable
    convenience init<Key: Hashable & Sendable, Value: Encodable & SendableMetatype>(
        _ key: @escaping @Sendable (State, Viewer) -> Key,
        _ project: @escaping @Sendable (State, Key) -> Value?
    ) {
        self.init(Self.classifying(key), Self.findingLeavers(key)) {
            (state, viewerClass, output) throws(EncodingFailure) in
            guard let key = viewerClass?.key(as: Key.self) else { return .outOfScope }
            return try Self.write(project(state, key), to: &output)
        }
    }

    /// One a viewer, whose class no state changes.
    @inlinable
    convenience init<Value: Encodable & SendableMetatype>(
        forEach project: @escaping @Sendable (State, Viewer) -> Value?
    ) {
        self.init({ _, viewer in ViewerClass(of: viewer) }, nil) {
            (state, viewerClass, output) throws(EncodingFailure) in
            guard let viewer = viewerClass?.key(as: Viewer.self) else { return .outOfScope }
            return try Self.write(project(state, viewer), to: &output)
        }
    }

    /// One for everybody, of an input.
    @inlinable
    convenience init<Input: Equatable & SendableMetatype, Value: Encodable & SendableMetatype>(
        of input: @escaping @Sendable (State) -> Input,
        _ project: @escaping @Sendable (Input) -> Value?
    ) {
        self.init(nil, nil) { (state, _, output) throws(EncodingFailure) in
            let input = input(state)
            if ViewInput.isEqual(output.input, to: input, for: ()) { return .unchanged }
            let content = try Self.write(project(input), to: &output)
            output.input = ViewInput(input, for: ())
            return content
        }
    }

    /// One a key, of an input for each.
    @inlinable
    convenience init<
        Input: Equatable & SendableMetatype, Key: Hashable & Sendable,
        Value: Encodable & SendableMetatype
    >(
        of input: @escaping @Sendable (State, Key) -> Input,
        by key: @escaping @Sendable (State, Viewer) -> Key,
        _ project: @escaping @Sendable (Input, Key) -> Value?
    ) {
        self.init(
            Self.classifying(key), Self.findingLeavers(key),
            Self.findingChanges(of: input, for: Key.self)
        ) { (state, viewerClass, output) throws(EncodingFailure) in
            guard let key = viewerClass?.key(as: Key.self) else { return .outOfScope }
            let input = input(state, key)
            if ViewInput.isEqual(output.input, to: input, for: key) { return .unchanged }
            let content = try Self.write(project(input, key), to: &output)
            output.input = ViewInput(input, for: key)
            return content
        }
    }

    @inlinable
    static func classifying(
        _ key: @escaping @Sendable (State, Viewer) -> some Hashable & Sendable
    ) -> Classify {
        { state, viewer in ViewerClass(key(state, viewer)) }
    }

    @inlinable
    static func findingLeavers<Key: Hashable & Sendable>(
        _ key: @escaping @Sendable (State, Viewer) -> Key
    ) -> FindLeavers {
        { state, groups in
            var leavers: [ViewerGroup.Leavers] = []
            for group in groups.indices {
                guard let shared = groups[group].viewerClass?.key(as: Key.self) else { continue }
                let viewers = groups[group].viewers.span
                var places: [Int] = []
                for place in viewers.indices where key(state, viewers[place]) != shared {
                    places.append(place)
                }
                if !places.isEmpty { leavers.append(ViewerGroup.Leavers(of: group, places)) }
            }
            return leavers
        }
    }

    @inlinable
    static func findingChanges<Input: Equatable & SendableMetatype, Key: Sendable>(
        of input: @escaping @Sendable (State, Key) -> Input, for _: Key.Type
    ) -> FindChanges {
        { state, inputs in
            var places: [Int] = []
            for place in inputs.indices {
                guard let known = inputs[place] as? ViewInput<Input, Key>,
                    known.value == input(state, known.key)
                else {
                    places.append(place)
                    continue
                }
            }
            return places
        }
    }

    /// Takes down a value, or tells that there is none.
    @inlinable
    static func write(
        _ value: (some Encodable)?, to output: inout ViewOutput
    ) throws(EncodingFailure) -> ViewContent {
        guard let value else { return .outOfScope }
        try output.write(value)
        return .encoded
    }
}

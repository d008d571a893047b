public import Redux
public import Sessions
public import StateCoding

/// The code of a view, compiled for its types.
///
/// The initializers of `View` are inlined where the types are known, and so are these closures: to
/// ask a thousand viewers for their keys is to call one of them once.
@usableFromInline
struct ViewCode<State: Sendable>: Sendable {
    /// The class of a viewer.
    @usableFromInline
    typealias Classify = @Sendable (State, Viewer) -> ViewerClass

    /// The places of those viewers that are not of a class.
    @usableFromInline
    typealias FindLeavers = @Sendable (State, ViewerClass, Span<Viewer>) -> [Int]

    /// Appends the value for a class of viewers. The object holds the input of the last time.
    @usableFromInline
    typealias Encode =
        @Sendable (State, ViewerClass?, inout AnyObject?, inout [UInt8]) throws(EncodingFailure)
        -> ViewContent

    /// Nil where the view is one for everybody.
    let classify: Classify?
    /// Nil where the classes do not depend on the state.
    let findLeavers: FindLeavers?
    let encode: Encode

    @usableFromInline
    init(
        _ classify: Classify?, _ findLeavers: FindLeavers?, _ encode: @escaping Encode
    ) {
        self.classify = classify
        self.findLeavers = findLeavers
        self.encode = encode
    }

    /// One for everybody.
    @inlinable
    init<Value: Encodable & SendableMetatype>(_ project: @escaping @Sendable (State) -> Value?) {
        self.init(nil, nil) { (state, _, _, output) throws(EncodingFailure) in
            try Self.append(project(state), to: &output)
        }
    }

    /// One a key.
    @inlinable
    init<Key: Hashable & Sendable, Value: Encodable & SendableMetatype>(
        _ key: @escaping @Sendable (State, Viewer) -> Key,
        _ project: @escaping @Sendable (State, Key) -> Value?
    ) {
        self.init(Self.classifying(key), Self.findingLeavers(key)) {
            (state, viewerClass, _, output) throws(EncodingFailure) in
            guard let key = viewerClass?.key(as: Key.self) else { return .outOfScope }
            return try Self.append(project(state, key), to: &output)
        }
    }

    /// One a viewer, whose class no state changes.
    @inlinable
    init<Value: Encodable & SendableMetatype>(
        forEach project: @escaping @Sendable (State, Viewer) -> Value?
    ) {
        self.init({ _, viewer in ViewerClass(viewer) }, nil) {
            (state, viewerClass, _, output) throws(EncodingFailure) in
            guard let viewer = viewerClass?.key(as: Viewer.self) else { return .outOfScope }
            return try Self.append(project(state, viewer), to: &output)
        }
    }

    /// One for everybody, of an input.
    @inlinable
    init<Input: Equatable & SendableMetatype, Value: Encodable & SendableMetatype>(
        of input: @escaping @Sendable (State) -> Input,
        _ project: @escaping @Sendable (Input) -> Value?
    ) {
        self.init(nil, nil) { (state, _, memory, output) throws(EncodingFailure) in
            let input = input(state)
            if ViewInput.isEqual(memory, to: input) { return .unchanged }
            let content = try Self.append(project(input), to: &output)
            memory = ViewInput(input)
            return content
        }
    }

    /// One a key, of an input.
    @inlinable
    init<
        Input: Equatable & SendableMetatype, Key: Hashable & Sendable,
        Value: Encodable & SendableMetatype
    >(
        of input: @escaping @Sendable (State) -> Input,
        by key: @escaping @Sendable (State, Viewer) -> Key,
        _ project: @escaping @Sendable (Input, Key) -> Value?
    ) {
        self.init(Self.classifying(key), Self.findingLeavers(key)) {
            (state, viewerClass, memory, output) throws(EncodingFailure) in
            guard let key = viewerClass?.key(as: Key.self) else { return .outOfScope }
            let input = input(state)
            if ViewInput.isEqual(memory, to: input) { return .unchanged }
            let content = try Self.append(project(input, key), to: &output)
            memory = ViewInput(input)
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
        { state, viewerClass, viewers in
            guard let shared = viewerClass.key(as: Key.self) else { return [] }
            var leavers: [Int] = []
            for index in viewers.indices where key(state, viewers[index]) != shared {
                leavers.append(index)
            }
            return leavers
        }
    }

    /// Appends a value, or tells that there is none.
    @inlinable
    static func append(
        _ value: (some Encodable)?, to output: inout [UInt8]
    ) throws(EncodingFailure) -> ViewContent {
        guard let value else { return .outOfScope }
        try StateEncoder().encode(value, into: &output)
        return .encoded
    }
}

import Bytes
import StateCoding

/// Encodes the whole state of a session; as long as the state is watched, it copies what has not
/// changed since the last time.
struct WholeEncoding {
    private var memory: EncodingMemory?

    /// The committed state's form, and the patch that leads there.
    ///
    /// - Parameter known: the form, where the session's log has it.
    func change(
        of store: any SessionStore, after former: EncodedForm?, known: EncodedForm?
    ) throws(EncodingFailure) -> EncodedChange {
        if let known { return known.change(from: former) }
        return try store.encodeState(after: former)
    }

    /// The committed state's JSON.
    ///
    /// - Parameter expected: the number of bytes that it took before.
    mutating func encode(
        _ store: any SessionStore, isWatched: Bool, expected: Int?
    ) throws(EncodingFailure) -> SharedBytes {
        var output: [UInt8] = []
        output.reserveCapacity((expected ?? 512) + 64)
        if isWatched, memory == nil { memory = EncodingMemory() }
        try store.encodeState(into: &output, reusing: memory)
        return SharedBytes(output)
    }

    mutating func forget() { memory = nil }
}

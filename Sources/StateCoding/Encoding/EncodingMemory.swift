/// The last encoding of a state: the next one of the same state copies the arrays that still have
/// the same storage instead of asking their elements again.
///
/// An array that nobody has changed shares its storage with the copy kept here, which is found
/// out without looking at its elements. Supposes that a value's encoding depends on the value
/// alone.
///
///     state {"counter":7,"items":[…1 KB…]} → {"counter":8,"items":[…]}: only the counter is encoded
@usableFromInline
package final class EncodingMemory {
    private var arrays = EncodedArrays()

    /// Nothing was encoded yet.
    package init() {}

    /// A new encoding begins.
    func begin() { change { $0.begin() } }

    /// It has ended with these bytes; without any, it has failed.
    func end(_ result: [UInt8]?) { change { $0.end(result) } }

    /// Appends what an array came to the last time, if it is the same one at the same place.
    func copy<Element>(
        _ array: [Element], at place: EncodingPlace, to writer: inout JSONWriter
    ) -> Bool {
        change { $0.copy(array, at: place, to: &writer) }
    }

    /// An array is about to be encoded: keeps a place for it.
    func enter<Element>(
        _ array: [Element], at place: EncodingPlace, from start: Int
    ) -> EncodingMark {
        change { $0.enter(array, at: place, from: start) }
    }

    /// It has been written up to here: the array that was expected is taken for its former value.
    func leave(_ mark: EncodingMark, at end: Int) { change { $0.leave(mark, at: end) } }

    /// Takes the arrays out of the object while they change, which spares the run time its checks that
    /// no second access overlaps.
    @inline(__always)
    private func change<Result>(_ body: (inout EncodedArrays) -> Result) -> Result {
        var taken = EncodedArrays()
        swap(&taken, &arrays)
        defer { swap(&taken, &arrays) }
        return body(&taken)
    }
}

/// The depth of a value, which the limits of nesting are compared with.
struct EncodingPlace: Equatable {
    var nesting: Int
    var valueDepth: Int
}

/// An array that is being encoded.
struct EncodingMark {
    /// Its place among the present arrays.
    var index: Int
    /// The place among the former ones before it.
    var cursor: Int
    /// The former one behind its own former value, if that is known.
    var behind: Int?
}

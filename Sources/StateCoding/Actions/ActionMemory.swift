import Bytes
import Synchronization

/// The memory that one action after the other is decoded in; one for each thread that decodes.
@usableFromInline
package final class ActionMemory {
    private var bytes: [UInt8] = []
    private var entries: [JSONTape.Entry] = []
    /// Containers for one action after the other.
    let readers = ReaderPool(forMany: true)
    /// The number of the type of the action that was decoded last, see `ActionCoder.typeNames`; −1 where
    /// that is not listed.
    package var typeNumber: Int { number.load(ordering: .relaxed) }
    /// Atomic, as no access to it is checked then: one thread alone reads and writes it.
    private let number = Atomic(-1)
    /// The same of each action of the batch that was decoded last.
    package private(set) var batchTypeNumbers: [Int] = []

    /// No memory yet: the first action takes what it needs.
    package init() {}

    /// Parses `text` in this memory.
    func parse(_ text: Span<UInt8>, maximumDepth: Int) throws(DecodingFailure) -> JSONTape {
        var copy: [UInt8] = []
        var empty: [JSONTape.Entry] = []
        swap(&copy, &bytes)
        swap(&empty, &entries)
        copy.removeAll(keepingCapacity: true)
        empty.removeAll(keepingCapacity: true)
        copy.append(copying: text)
        return try JSONTape(parsing: copy, into: empty, maximumDepth: maximumDepth)
    }

    /// Notes the type of an action.
    func note(typeNumber: Int) { number.store(typeNumber, ordering: .relaxed) }

    /// Notes the types of a batch.
    func note(batchTypeNumbers: [Int]) { self.batchTypeNumbers = batchTypeNumbers }

    /// Takes a tape's memory back, unless it is large. Whoever still holds the tape keeps it.
    func recycle(_ tape: JSONTape) {
        guard tape.bytes.capacity <= 4096, tape.entries.capacity <= 1024 else { return }
        bytes = tape.bytes
        entries = tape.entries
    }
}

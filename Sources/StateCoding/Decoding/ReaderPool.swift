import Reflection

/// Keyed containers, each used for one object after the other: of one document, see ``close()``, or of
/// one document after the other, see ``sweep()``.
final class ReaderPool {
    /// What a container reads at present.
    class Source {
        /// There is one as long as somebody may hold the container.
        fileprivate(set) final var document: DocumentDecoder?
        fileprivate(set) final var place: Place
        fileprivate(set) final var role: KeyedRole
        /// The entry of the member to look at first, 0 at the beginning: they are mostly asked for in
        /// the order in which they stand.
        final var nextMember = 0

        init(_ document: DocumentDecoder, _ place: Place, _ role: KeyedRole) {
            self.document = document
            self.place = place
            self.role = role
        }
    }

    private let containers = ContainerPool()
    /// The sources of the containers, by their numbers.
    private var sources: [Source] = []
    /// The numbers given out since the pool was swept, a bit each; the last one is for all others.
    private var given: UInt64 = 0
    /// The number of containers to be made before one is kept; none is any more where it is negative.
    private var unkeptCount: Int

    /// A pool that keeps containers once so many were made: keeping is worth its making where many
    /// are.
    init(keepingBehind unkeptCount: Int) { self.unkeptCount = unkeptCount }

    /// The number of a container by such keys that nobody holds, which reads what stands at `place`
    /// from now on; nil where there is none.
    func find<Key>(
        _ keys: Key.Type, in document: DocumentDecoder, movingTo place: Place, as role: KeyedRole
    ) -> Int? {
        guard let number = containers.find(ObjectIdentifier(keys)) else { return nil }
        let source = sources[number]
        if source.document !== document { source.document = document }
        source.place = place
        source.role = role
        source.nextMember = 0
        given |= 1 << UInt64(min(number, 63))
        return number
    }

    /// The container that has been found.
    func container<Key>(_ number: Int, keyedBy keys: Key.Type) -> KeyedDecodingContainer<Key> {
        containers.decodingContainer(number, keyedBy: keys)
    }

    /// Keeps a container, which reads from a source, as long as there is room.
    @inline(never)
    func keep<Key>(_ container: KeyedDecodingContainer<Key>, _ source: Source) {
        guard unkeptCount == 0 else { return unkeptCount -= 1 }
        guard let number = containers.keep(container) else { return }
        var sources: [Source] = []
        swap(&sources, &self.sources)
        precondition(number == sources.count, "Numbers are given in their order.")
        sources.append(source)
        swap(&sources, &self.sources)
        given |= 1 << UInt64(min(number, 63))
    }

    /// Lets the document go that was read last. Who has kept a container keeps what it reads.
    func sweep() {
        while given != 0 {
            let bit = given.trailingZeroBitCount
            given &= given - 1
            for number in bit..<(bit == 63 ? sources.count : bit + 1) {
                guard containers.isUnused(number) else { return removeAll() }
                sources[number].document = nil
            }
        }
    }

    /// Lets all containers go, each of which holds its document, and keeps none any more.
    func close() {
        unkeptCount = -1
        removeAll()
    }

    private func removeAll() {
        containers.removeAll()
        sources = []
        given = 0
    }
}

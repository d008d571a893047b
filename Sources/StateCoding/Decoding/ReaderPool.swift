import Reflection

/// Keyed containers, each used for one object after the other: of one document, or of one document
/// after the other.
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
    /// The number of containers that were made.
    private var madeCount: Int

    /// A pool for many documents, one after the other, or for one, which is served plainly until
    /// keeping containers is worth its making.
    init(forMany isForMany: Bool) { madeCount = isForMany ? ContainerPool.worthwhileCount : 0 }

    /// The number of a container by such keys that nobody holds, which reads what stands at `place`
    /// from now on; nil where there is none.
    func move<Key>(
        _ keys: Key.Type, to place: Place, of document: DocumentDecoder, as role: KeyedRole
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

    /// One more container is made; it is worth being kept.
    func keepsNext() -> Bool {
        madeCount += 1
        return madeCount > ContainerPool.worthwhileCount
    }

    /// A container that reads from a source, kept where there is room.
    ///
    /// By itself, as a variable of the container's type has that looked up even where it is not used.
    @inline(never)
    func makeKept<Key>(_ source: KeyedSource<Key>) -> KeyedDecodingContainer<Key> {
        let container = KeyedDecodingContainer(KeyedReader(source))
        guard let number = containers.keep(container) else { return container }
        precondition(number == sources.count, "Numbers are given in their order.")
        // Taken out while it changes, which spares the run time its check that no second access
        // overlaps.
        var sources: [Source] = []
        swap(&sources, &self.sources)
        sources.append(source)
        swap(&sources, &self.sources)
        given |= 1 << UInt64(min(number, 63))
        return container
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

    private func removeAll() {
        sources = []
        given = 0
        containers.removeAll()
    }
}

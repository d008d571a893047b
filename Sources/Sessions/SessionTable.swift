package import Redux
/// The sessions of one application on one loop, found by the bytes of a request.
package struct SessionTable {
    /// Chains of sessions, linked by `next`; which one by the upper half of the hash, as the lower
    /// one has chosen the loop. As many as a power of two.
    private var chains: [Session?] = [nil]
    /// The number of sessions.
    package private(set) var count = 0

    /// The session of an id, given by its characters and their hash.
    package func find(_ id: Span<UInt8>, _ hash: UInt64) -> Session? {
        var candidate = chains[index(hash)]
        while let session = candidate {
            if session.hash == hash, isEqual(session.id, id) { return session }
            candidate = session.next
        }
        return nil
    }

    /// The session of an id.
    package func find(_ id: SessionID) -> Session? {
        find(id.description.utf8Span.span, IDHash.of(id))
    }

    package init() {}

    package mutating func insert(_ session: Session) {
        precondition(session.next == nil, "A session stands in one chain.")
        if count == chains.count { grow() }
        link(session)
        count += 1
    }

    package mutating func remove(_ session: Session) {
        let index = index(session.hash)
        guard chains[index] !== session else {
            chains[index] = session.next.take()
            count -= 1
            return
        }
        var candidate = chains[index]
        while let current = candidate {
            candidate = current.next
            guard candidate === session else { continue }
            current.next = session.next.take()
            count -= 1
            return
        }
    }

    private mutating func grow() {
        let old = chains
        chains = Array(repeating: nil, count: old.count * 2)
        for start in old {
            var candidate = start
            while let session = candidate {
                candidate = session.next
                link(session)
            }
        }
    }

    private mutating func link(_ session: Session) {
        let index = index(session.hash)
        session.next = chains[index]
        chains[index] = session
    }

    @inline(__always)
    private func index(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash >> 32) & (chains.count - 1)
    }

    /// The number of chains that the sessions stand in.
    package var chainCount: Int { chains.count }

    /// Visits the sessions of some chains.
    package func forEach(inChains range: Range<Int>, _ body: (Session) -> Void) {
        for start in chains[range] {
            var candidate = start
            while let session = candidate {
                candidate = session.next
                body(session)
            }
        }
    }

    @inline(__always)
    private func isEqual(_ id: SessionID, _ characters: Span<UInt8>) -> Bool {
        let text = id.description.utf8Span.span
        guard text.count == characters.count else { return false }
        for index in text.indices where characters[index] != text[index] { return false }
        return true
    }
}

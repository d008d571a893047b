import Glibc

/// A server among those that share a journal, as they know it.
public struct LiveServer: Sendable, Hashable {
    /// Where it takes requests of the others: `10.0.0.7:8090`.
    public var address: String
    /// Its part of the sessions: who has 2 is given twice as many as who has 1.
    public var share: Double
    /// It is about to go, or takes no requests yet, and is given none.
    public var isDraining: Bool
    /// So many requests it has sent to others.
    public var relayCount: Int
    /// So many sessions of others it follows, to show them to many.
    public var followedCount: Int
    /// The newest schema that it reads of each application's states, by the mounts; empty: it reads all.
    public var schemas: [String: Int]

    /// One that stays.
    public init(
        address: String, share: Double = 1, isDraining: Bool = false, relayCount: Int = 0,
        followedCount: Int = 0, schemas: [String: Int] = [:]
    ) {
        (self.address, self.share, self.followedCount) = (address, share, followedCount)
        (self.isDraining, self.relayCount, self.schemas) = (isDraining, relayCount, schemas)
    }

    /// It has the application of a mount, and reads its states of a schema.
    package func reads(_ schema: Int, of mount: String) -> Bool {
        schemas.isEmpty || schemas[mount].map { $0 >= schema } ?? false
    }
}

extension [LiveServer] {
    /// The server that opens a session which nobody has. All that know of the same servers name the same one,
    /// and where one comes or goes, no session changes between two others (rendezvous hashing by weights:
    /// Schindelhauer and Schomaker, 2005).
    ///
    /// - Parameter schema: of its states, which the server has to read; 0 where that is not known.
    package func choice(
        for name: SessionName, of schema: Int = 0, by hash: KeyedHash
    ) -> LiveServer? {
        var (best, most): (LiveServer?, Double) = (nil, 0)
        for server in self where !server.isDraining && server.reads(schema, of: name.mount) {
            let number = hash.number(of: [UInt8]("\(server.address) \(name)".utf8).span)
            // Between 0 and 1, and neither.
            let part = (Double(UInt64(truncatingIfNeeded: number >> 76)) + 0.5) / 0x1p52
            let score = -server.share / log(part)
            if score > most { (best, most) = (server, score) }
        }
        return best
    }
}

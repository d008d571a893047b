/// What clients have of things of which there is only so much, in all and each of them. A value: the
/// server has one for what is its own, and each session one for what is of the session.
///
/// A client is a principal or, where nothing asks for that, a network; both are known by a print of 16
/// bits, so that two have one account by chance alone, one time in 65,536. So many accounts there are at
/// most, and one that has nothing is forgotten.
package struct Accounts: Sendable, Equatable {
    /// The print of a client; 0: nobody, who has no share.
    package typealias Client = UInt16

    /// A thing of which there is only so much.
    package enum Item: Int, CaseIterable, Sendable {
        // Of the server.
        case connections, peers, sessions, streams, compressedStreams, routes
        /// What waits for the client to take or to end it.
        case bytes
        // Of a session.
        case selections, keys, recordBytes
        /// Of the session that keeps people.
        case signIns
    }

    /// Each client may have a few, however small the share of a limit is.
    private static let leastShare = 16

    private var totals = [Int](repeating: 0, count: Item.allCases.count)
    private var counts: [UInt32: Int] = [:]

    package init() {}

    /// The number of things that clients have.
    package var count: Int { counts.count }

    /// What all have of an item.
    package func total(_ item: Item) -> Int { totals[item.rawValue] }

    /// What a client has of an item.
    package subscript(item: Item, client: Client) -> Int {
        counts[Self.place(item, client), default: 0]
    }

    /// A client has more of an item from now on, or less.
    package mutating func add(_ count: Int, _ item: Item, of client: Client) {
        totals[item.rawValue] += count
        let place = Self.place(item, client)
        let sum = counts[place, default: 0] + count
        counts[place] = sum == 0 ? nil : sum
    }

    /// No client has anything of an item from now on.
    package mutating func clear(_ item: Item) {
        totals[item.rawValue] = 0
        counts = counts.filter { $0.key >> 16 != item.rawValue }
    }

    /// A client may have so much more of an item: all together have no more than the limit then, and the
    /// client no more than its share.
    package func hasRoom(
        for count: Int = 1, _ item: Item, of client: Client, limit: Int, share: Double
    ) -> Bool {
        total(item) + count <= limit
            && (client == 0 || self[item, client] + count <= Self.share(share, of: limit))
    }

    /// A client has one more of an item from now on; false, and not counted, where there is no room.
    package mutating func enter(
        _ item: Item, of client: Client, limit: Int, share: Double
    ) -> Bool {
        let hasRoom = hasRoom(item, of: client, limit: limit, share: share)
        if hasRoom { add(1, item, of: client) }
        return hasRoom
    }

    /// The clients that have more of an item than a number.
    package func clients(above most: Int, _ item: Item) -> Set<Client> {
        let greedy = counts.filter { $0.key >> 16 == item.rawValue && $0.value > most }
        return Set(greedy.keys.map { Client(truncatingIfNeeded: $0) })
    }

    /// The client that has most of an item; of two, the one of the higher print.
    package func first(in item: Item) -> Client? {
        let most = counts.lazy.filter { $0.key >> 16 == item.rawValue }
            .max { ($0.value, $0.key) < ($1.value, $1.key) }
        return most.map { Client(truncatingIfNeeded: $0.key) }
    }

    /// What one client may have, by a share of 0 to 1.
    package static func share(_ share: Double, of limit: Int) -> Int {
        share >= 1 ? limit : max(Int(Double(limit) * max(share, 0)), min(limit, leastShare))
    }

    private static func place(_ item: Item, _ client: Client) -> UInt32 {
        UInt32(item.rawValue) << 16 | UInt32(client)
    }
}

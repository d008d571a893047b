internal import Sockets

/// Counts the open connections, in all and by address; shared by the loops.
///
/// IPv6 addresses count by their first 64 bits: one client commonly owns all of the rest.
final class AddressTally: Sendable {
    /// The outcome of counting one more connection.
    enum Entry: Sendable {
        case entered
        /// The address has as many as it may: the connection is not counted.
        case refused
    }

    /// The outcome of counting one connection less.
    enum Departure: Sendable {
        case left
        /// There was no room before.
        case madeRoom
    }

    private struct Counts {
        var total = 0
        var byAddress: [IPAddress: Int] = [:]
    }

    private let totalLimit: Int
    private let addressLimit: Int
    private let counts = Lock(Counts())

    init(totalLimit: Int, addressLimit: Int) {
        self.totalLimit = totalLimit
        self.addressLimit = addressLimit
    }

    /// One more connection may be accepted.
    var hasRoom: Bool {
        counts.withLock { $0.total < totalLimit }
    }

    var total: Int {
        counts.withLock { $0.total }
    }

    /// Counts a connection, unless its address has too many.
    func enter(_ address: IPAddress) -> Entry {
        let address = address.network
        return counts.withLock { counts in
            let count = counts.byAddress[address, default: 0]
            guard count < addressLimit else { return .refused }
            counts.byAddress[address] = count + 1
            counts.total += 1
            return .entered
        }
    }

    /// Ends the count of a connection.
    func leave(_ address: IPAddress) -> Departure {
        let address = address.network
        return counts.withLock { counts in
            let count = counts.byAddress[address, default: 0]
            precondition(count > 0, "A connection that leaves was counted.")
            counts.byAddress[address] = count > 1 ? count - 1 : nil
            counts.total -= 1
            return counts.total == totalLimit - 1 ? .madeRoom : .left
        }
    }
}

internal import Sockets

/// Counts the open connections, in all and by address; shared by the loops.
///
/// IPv6 addresses count by their first 64 bits: one client commonly owns all of the rest.
final class AddressTally: Sendable {
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

    /// Counts a connection; false, and counts it not, where its address has too many.
    func enter(_ address: IPAddress) -> Bool {
        let address = address.network
        return counts.withLock { counts in
            let count = counts.byAddress[address, default: 0]
            guard count < addressLimit else { return false }
            counts.byAddress[address] = count + 1
            counts.total += 1
            return true
        }
    }

    /// Ends the count of a connection; true where there was no room before.
    func leave(_ address: IPAddress) -> Bool {
        let address = address.network
        return counts.withLock { counts in
            let count = counts.byAddress[address, default: 0]
            precondition(count > 0, "A connection that leaves was counted.")
            counts.byAddress[address] = count > 1 ? count - 1 : nil
            counts.total -= 1
            return counts.total == totalLimit - 1
        }
    }
}

/// The tickets of requests that wait until the effects of their entries have ended.
package struct Settling {
    private struct Entry {
        var ticket: Ticket
        var roots: ClosedRange<UInt64>
    }

    private var entries: [Entry] = []

    package var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// Has a ticket wait for the effects of these versions.
    mutating func wait(_ ticket: Ticket, for roots: ClosedRange<UInt64>) {
        precondition(
            !entries.contains { $0.ticket == ticket }, "A ticket waits for one thing at a time.")
        entries.append(Entry(ticket: ticket, roots: roots))
    }

    /// Removes a ticket that waits no longer.
    package mutating func remove(_ ticket: Ticket) {
        entries.removeAll { $0.ticket == ticket }
    }

    /// Removes the tickets whose effects have all ended, and returns them in their order.
    package mutating func takeSettled(_ isSettled: (ClosedRange<UInt64>) -> Bool) -> [Ticket] {
        guard !entries.isEmpty else { return [] }
        let settled = entries.filter { isSettled($0.roots) }.map(\.ticket)
        if !settled.isEmpty { entries.removeAll { settled.contains($0.ticket) } }
        return settled
    }

    /// Removes all tickets, and returns them in their order.
    package mutating func takeAll() -> [Ticket] {
        defer { entries = [] }
        return entries.map(\.ticket)
    }
}

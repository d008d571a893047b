import HTTPServer
import Sessions
import Sockets

/// The requests of one loop that take milliseconds: one of them goes on in each turn, behind all else that the
/// turn sends, and their clients take turns. So others wait for one of them at most, and who asks for many
/// waits for their own.
///
/// A request that waits is not judged; one whose client has gone leaves, and nothing is done for it.
final class CostlyRequests {
    private typealias Place = (
        held: Held, exchange: Exchange, route: String, goOn: (_ isWanted: Bool) -> Void
    )

    /// Those who have requests here, or had, in the order of their turns.
    private(set) var clients: [Accounts.Client] = []
    private var places: [Accounts.Client: [Place]] = [:]
    private var count = 0
    /// The request whose turn it is has begun nothing yet.
    private var isDue = false

    /// One more request of a client may wait, or its only one: there are no more than a session may have
    /// long-polls.
    func hasRoom(for client: Accounts.Client, _ limits: SessionLimits) -> Bool {
        guard let own = places[client]?.count, own > 0 else { return true }
        return count < limits.waiterCount
            && own < Accounts.share(limits.sessionShare, of: limits.waiterCount)
    }

    /// Has a request go on in a turn of its client's.
    ///
    /// - Parameter goOn: called once, also where the client has gone.
    func wait(
        for exchange: Exchange, of client: Accounts.Client, _ route: String,
        on loop: isolated EventLoop, _ goOn: @escaping (_ isWanted: Bool) -> Void
    ) {
        // With nobody before it, it goes on in this turn or the next, whatever its client has ended.
        let held = Held(exchange, for: nil, endsWithInput: !clients.isEmpty, on: loop) {
            [weak self] held, interruption in
            if interruption == .clientGone { self?.leave(held, of: client) }
        }
        if clients.isEmpty { loop.submit { _ in } }
        if places[client] == nil { clients.append(client) }
        places[client, default: []].append((held, exchange, route, goOn))
        count += 1
    }

    private func leave(_ held: Held, of client: Accounts.Client) {
        guard let index = places[client]?.firstIndex(where: { $0.held === held }) else { return }
        let place = places[client]?.remove(at: index)
        count -= 1
        place?.goOn(false)
    }

    /// Has the next request go on, once a turn.
    ///
    /// - Returns: its route; nil where none waits.
    func goOn(on loop: isolated EventLoop) -> String? {
        while let place = next() {
            place.held.end(on: loop)
            let isWanted = place.exchange.isOpen
            if isWanted, !clients.isEmpty { loop.submit { _ in } }
            isDue = isWanted
            place.goOn(isWanted)
            isDue = false
            if isWanted { return place.route }
        }
        return nil
    }

    private func next() -> Place? {
        while !clients.isEmpty {
            let client = clients.removeFirst()
            guard var own = places.removeValue(forKey: client), !own.isEmpty else { continue }
            let first = own.removeFirst()
            count -= 1
            if !own.isEmpty {
                clients.append(client)
                places[client] = own
            }
            return first
        }
        return nil
    }

    /// Something that takes milliseconds may begin now: by the request whose turn it is, once.
    func begins() -> Bool { exchange(&isDue, with: false) }
}

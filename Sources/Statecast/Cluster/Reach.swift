import HTTPServer
import Journaling
import Sockets
import Synchronization

/// Whether a server that has others reaches one of them. No sockets and no clock: it is told of each second.
struct Reach {
    /// Nobody is reached for more seconds than this. A single other server may itself be gone: if its row is
    /// there still, it is not.
    private static let (secondsOfMany, secondsOfOne) = (5, 15)
    private var (otherCount, misses) = (0, 0)

    var isAlone: Bool { misses > (otherCount == 1 ? Self.secondsOfOne : Self.secondsOfMany) }

    /// Another second begins.
    ///
    /// - Returns: so many of the others are to be tried: one as long as one answers, else all.
    mutating func tick(among count: Int) -> Int {
        (otherCount, misses) = (count, count > 0 ? misses + 1 : 0)
        return misses > 1 ? count : min(count, 1)
    }

    /// One of them has answered.
    mutating func reached() { misses = 0 }
}

extension SessionRegistry {
    /// Where the other servers take requests.
    var others: [SocketAddress] {
        context.sessions.journal.servers.compactMap { SocketAddress(parsing: $0.address) }
            .filter { $0 != peers?.address && $0.host.isPrivate }
    }

    /// Once a second another server is asked whether it is there; where it is not, all are. Who reaches none is not ready: what clients ask it for may be theirs.
    func tryOthers(on loop: isolated EventLoop) {
        guard let peers, loop.index == 0 else { return }
        let others = others
        let count = peers.reach.tick(among: others.count)
        noteReach(of: peers, at: loop.now)
        for address in others.shuffled().prefix(count) {
            let request = PeerRequest(isHead: true, silence: .seconds(1), by: peers.connections) {
                [self] news in
                guard case .began(status: 200, _) = news else { return }
                peers.reach.reached()
                noteReach(of: peers, at: loop.now)
            }
            request.begin(ClusterKeys.own("HEAD /livez"), to: address, on: loop)
        }
    }

    private func noteReach(of peers: Peers, at now: Instant) {
        let isAlone = peers.reach.isAlone
        let wasAlone = context.shared.lifecycle.isAlone.exchange(isAlone, ordering: .relaxed)
        guard isAlone, !wasAlone else { return }
        let sentence = "No other server is reached from here: /readyz is 503 until one is."
        context.diagnostics.write(("alone", .error, sentence), of: "", at: now)
    }
}

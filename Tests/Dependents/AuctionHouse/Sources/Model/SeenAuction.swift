import Redux

/// What somebody sees of an auction: a bidder the own bid, a moderator all bids, the seller all of them
/// once it is over and until then not even how many; everybody else their number.
struct SeenAuction: StateValue {
    /// Those who see the same.
    enum Audience: Hashable, Sendable {
        case seller, moderators, others
        case bidder(String)
    }

    struct SeenBid: StateValue {
        let bidder: String
        let amount: Int
        let isRefused: Bool
    }

    let title, seller: String
    let reserve: Int
    /// In milliseconds since 1970.
    let ends: Int64
    let phase: String
    /// The id of the one who has paid.
    let winner: String?
    /// How many bids there are.
    let count: Int?
    /// The own bid.
    let yours: Int?
    /// All of them, the highest first.
    let bids: [SeenBid]?
    let lines: [AuctionState.Line]
    let present: Set<String>

    init(_ auction: AuctionState, by audience: Audience) {
        let isOver = auction.phase != .open
        (title, seller) = (auction.lot.title, auction.seller)
        (reserve, ends) = (auction.lot.reserve, auction.ends.milliseconds)
        phase = auction.phase.name
        winner = if case .sold(let charge) = auction.phase { charge.bidder } else { nil }
        count = audience == .seller && !isOver ? nil : auction.bids.count
        yours = if case .bidder(let id) = audience { auction.bids[id]?.amount } else { nil }
        let showsAll = audience == .moderators || audience == .seller && isOver
        bids = showsAll ? auction.bids.map(SeenBid.init).sorted { $0.isHigher(than: $1) } : nil
        (lines, present) = (auction.lines, auction.present)
    }
}

extension SeenAuction.SeenBid {
    fileprivate init(_ bidder: String, _ bid: AuctionState.Bid) {
        self.init(bidder: bidder, amount: bid.amount, isRefused: bid.isRefused)
    }

    fileprivate func isHigher(than other: Self) -> Bool {
        (amount, other.bidder) > (other.amount, bidder)
    }
}

extension SeenAuction.Audience {
    init(_ viewer: Viewer, of auction: AuctionState) {
        self =
            if let id = viewer.id, id == auction.seller {
                .seller
            } else if viewer.principal.roles.contains("moderator") {
                .moderators
            } else if let id = viewer.id, auction.bids[id] != nil {
                .bidder(id)
            } else {
                .others
            }
    }
}

extension AuctionState.Phase {
    var name: String {
        switch self {
        case .open: "open"
        case .charging: "charging"
        case .stalled: "stalled"
        case .sold: "sold"
        case .unsold: "unsold"
        }
    }
}

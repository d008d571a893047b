import Redux

/// An auction of one lot: sealed bids that only rise, an end that late bids put off, a lot drawn among the
/// highest, and a winner who is charged until the payment service says paid, or refused: then the next
/// highest is. What each person sees of it is `SeenAuction`; what runs outside is listed by `Auction`.
struct AuctionState: StateValue {
    /// What one person would pay, for each the highest that they have said.
    struct Bid: StateValue {
        var amount: Int
        var at: Timestamp
        /// The payment service has refused to charge the bidder.
        var isRefused = false
    }

    /// A payment, under an id that stays the same however often it is asked for.
    struct Charge: StateValue {
        let id, bidder: String
        let amount: Int
    }

    enum Phase: StateValue {
        case open
        case charging(Charge)
        /// The payment service has not answered in five tries; a moderator has it asked again.
        case stalled(Charge)
        case sold(Charge)
        case unsold
    }

    /// Something that was said, by a person's id.
    struct Line: StateValue { let id, author, text: String }

    static let lineLimit = 100
    static let overtime = Duration.seconds(30)

    var lot = Lot()
    var seller = ""
    var ends = Timestamp(milliseconds: 0)
    /// By the ids of the bidders.
    var bids: [String: Bid] = [:]
    var phase = Phase.open
    var lines: [Line] = []
    /// The ids of those who look on.
    var present: Set<String> = []

    /// The payment that was asked for, while nobody knows what came of it.
    var due: Charge? {
        switch phase {
        case .charging(let charge), .stalled(let charge): charge
        case .open, .sold, .unsold: nil
        }
    }
}

/// What is sold, as the seller says it.
struct Lot: StateValue {
    /// So much a bid is at most.
    static let limit = 1_000_000_000

    var title = ""
    /// So much a bid is at least.
    var reserve = 1
    /// How long bids are taken.
    var seconds = 60

    func check() throws(Rejection) {
        let isNamed = !title.allSatisfy(\.isWhitespace) && title.utf8.count <= 80
        try Rejection.check(
            isNamed ? nil : Rejection("title", "Say in 80 letters what it is.", field: "title"),
            (1...Self.limit).contains(reserve)
                ? nil : Rejection("reserve", "From 1 to a billion.", field: "reserve"),
            (10...604_800).contains(seconds)
                ? nil : Rejection("seconds", "Ten seconds to a week.", field: "seconds"))
    }
}

enum AuctionAction: ActionGroup {
    case bid(amount: Int)
    case said(text: String)
    /// A moderator ends the auction.
    case closed
    /// A moderator has a payment asked for once more.
    case retried
    case told(AuctionFact)
    case session(SessionFact)
}

enum AuctionFact: FactGroup {
    case ended
    /// The payment service has taken the charge, or has not answered.
    case asked(Answer<Done>)
    /// What came of the charge that has this id.
    case paid(id: String)
    case refused(id: String)
}

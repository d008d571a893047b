import Redux

extension AuctionState {
    mutating func begin(with lot: Lot?, _ step: Step) throws(Rejection) {
        guard let lot else { throw Rejection("lot", "Say what is sold.") }
        try lot.check()
        self.lot = lot
        seller = try step.signedIn().id
        ends = step.at + .seconds(lot.seconds)
    }

    mutating func apply(_ action: AuctionAction, _ step: Step) throws(Rejection) {
        switch action {
        case .bid(let amount): try bid(amount, step)
        case .said(let text): try say(text, step)
        case .closed:
            try Self.checkModerator(step)
            guard phase == .open else { throw .over }
            sell(step)
        case .retried:
            try Self.checkModerator(step)
            guard case .stalled(let charge) = phase else { throw .notStalled }
            phase = .charging(charge)
        case .told(let fact): apply(fact, step)
        case .session(.restored): present = []
        case .session(.watchersChanged(let came, let left)):
            present.formUnion(came.compactMap(\.id))
            present.subtract(left.compactMap(\.id))
        }
    }

    /// What comes too late, or twice, changes nothing.
    private mutating func apply(_ fact: AuctionFact, _ step: Step) {
        switch fact {
        case .ended: if phase == .open, step.at >= ends { sell(step) }
        case .asked(let answer):
            guard case .charging(let charge) = phase, answer.problem != nil else { return }
            phase = .stalled(charge)
        case .paid(let id):
            guard let due, due.id == id else { return }
            phase = .sold(due)
        case .refused(let id):
            guard let due, due.id == id else { return }
            bids[due.bidder]?.isRefused = true
            sell(step)
        }
    }

    private mutating func bid(_ amount: Int, _ step: Step) throws(Rejection) {
        let (bidder, roles) = try step.signedIn()
        guard bidder != seller, !roles.contains("moderator") else { throw .knowsTooMuch }
        guard phase == .open, step.at < ends else { throw .over }
        guard (lot.reserve...Lot.limit).contains(amount) else { throw .belowReserve }
        guard amount > bids[bidder]?.amount ?? 0 else { throw .notRaised }
        bids[bidder] = Bid(amount: amount, at: step.at)
        if step.at + Self.overtime > ends { ends = ends + Self.overtime }
    }

    private mutating func say(_ text: String, _ step: Step) throws(Rejection) {
        let author = try step.signedIn().id
        guard !text.isEmpty, text.utf8.count <= 300 else { throw .noLine }
        lines.append(Line(id: step.makeID(), author: author, text: text))
        lines.removeFirst(max(0, lines.count - Self.lineLimit))
    }

    /// Charges the highest bidder who is left, drawn where bids are equal.
    private mutating func sell(_ step: Step) {
        let left = bids.filter { !$0.value.isRefused }
        let amount = left.values.map(\.amount).max() ?? 0
        // Sorted: a dictionary's keys lie in another order after a restart.
        let equal = left.keys.filter { left[$0]?.amount == amount }.sorted()
        var chance = step.makeGenerator()
        guard let bidder = equal.randomElement(using: &chance) else { return phase = .unsold }
        phase = .charging(Charge(id: step.makeID(), bidder: bidder, amount: amount))
    }

    private static func checkModerator(_ step: Step) throws(Rejection) {
        guard try step.signedIn().roles.contains("moderator") else { throw .moderatorsOnly }
    }
}

extension Rejection {
    fileprivate static let knowsTooMuch = Rejection(
        "knows-too-much", "Sellers and moderators do not bid.", kind: .forbidden)
    fileprivate static let over = Rejection("over", "The auction is over.", kind: .conflict)
    fileprivate static let belowReserve = Rejection(
        "below-reserve", "Bid the reserve at least.", field: "amount")
    fileprivate static let notRaised = Rejection(
        "not-raised", "A bid only rises.", kind: .conflict, field: "amount")
    fileprivate static let noLine = Rejection(
        "no-line", "Say something, in 300 letters.", field: "text")
    fileprivate static let notStalled = Rejection(
        "not-stalled", "There is no payment to ask for.", kind: .conflict)
    fileprivate static let moderatorsOnly = Rejection(
        "moderators-only", "Ask a moderator.", kind: .forbidden)
}

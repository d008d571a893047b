/// The other loop that a client's requests go to, and how many of them in a row have gone there.
struct LoopAffinity {
    /// The way of a request that another loop answers.
    enum Route: Sendable {
        /// A copy of the request goes to that loop, and its answer comes back.
        case forward
        /// The connection moves to that loop, with the request unread.
        case move
    }

    private var loopIndex: UInt16 = 0
    /// A byte, since every connection has one: a bound of more than 255 counts as 255.
    private var count: UInt8 = 0

    /// The loop of the last request that had to be answered on another one.
    var target: Int { Int(loopIndex) }

    /// Chooses the way of a request to another loop: a stream moves, and so does a client that has
    /// asked for that loop `limit` times in a row.
    mutating func chooseRoute(to destination: LoopDestination, limit: Int) -> Route {
        setTarget(destination.loopIndex)
        guard !destination.isStream, Int(count) < min(limit, Int(UInt8.max)) else { return .move }
        count += 1
        return .forward
    }

    /// Moves to this loop, whatever has been asked before.
    mutating func setTarget(_ index: Int) {
        precondition((0...Int(UInt16.max)).contains(index), "A server has at most 65,536 loops.")
        if index != target { count = 0 }
        loopIndex = UInt16(index)
    }

    /// A request was answered here: those to another loop are counted anew.
    mutating func stayed() {
        count = 0
    }
}

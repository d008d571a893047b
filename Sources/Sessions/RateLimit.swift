package import Bytes
package import Redux
public import StateCoding
import Synchronization

/// How often clients may send actions to the sessions of an application.
///
///     SessionOptions(rates: [
///         .atMost(20, per: .seconds(1)),
///         .atMost(2, per: .seconds(60), of: "ordered", from: .session),
///         .newest(every: .milliseconds(250), of: "search/edited"),
///     ])
///
/// What the server itself says has no such limit: facts, and what work, alarms, effects, handles and
/// routes dispatch.
public struct RateLimit: Sendable, Hashable {
    /// Those whose actions count together.
    public enum Senders: String, Sendable, Hashable {
        /// One client: a principal or, where nothing asks who clients are, an IPv4 /24 or IPv6 /64 network.
        case client
        /// All clients of one session.
        case session
    }

    let count: Int
    package let period: Duration
    /// Of an action or of a group of them; nil: of all.
    package let type: String?
    package let senders: Senders
    /// Later actions take the place of one that waits; otherwise they are refused.
    package let keepsNewest: Bool

    /// Takes so many actions at once, and in the long run so many in a period. Further ones are refused
    /// by 429 `too-often`, and `Retry-After` says when there is room again.
    ///
    /// A batch is taken or refused as a whole, and counts as its actions; one of more than `count` is
    /// refused for ever, by 413 `batch-too-large`. An action that is sent again under its idempotency key
    /// is not counted again, and one that is rejected is counted.
    ///
    /// - Parameters:
    ///   - count: 1 or more.
    ///   - period: 1 ms to 24 h.
    ///   - type: the type of an action, `search/edited`, or a group of them, `search`; nil: all count
    ///     together.
    ///   - senders: a client's actions count in all sessions of the application together.
    public static func atMost(
        _ count: Int, per period: Duration, of type: String? = nil, from senders: Senders = .client
    ) -> RateLimit {
        RateLimit(
            count: count, period: period, type: type, senders: senders, keepsNewest: false)
    }

    /// Takes one action of a type at once, and of those that come until a period is over the last one
    /// then; the others are forgotten. Their senders are told by 202 that theirs is delayed, which
    /// promises nothing: what waits ends with the process.
    ///
    /// - Parameters:
    ///   - period: 1 ms to 24 h.
    ///   - type: of one action, `search/edited`.
    ///   - senders: each client's newest action of each session goes on, or that of all its clients.
    public static func newest(
        every period: Duration, of type: String, from senders: Senders = .client
    ) -> RateLimit {
        RateLimit(count: 1, period: period, type: type, senders: senders, keepsNewest: true)
    }

    /// The sentence that tells a client of it.
    package var sentence: String {
        "At most \(count) of \(type ?? "all actions") in \(period) are taken "
            + (senders == .client ? "from one client." : "for one session.")
    }

    /// The sentence that says what is wrong with it among the types that clients may send; nil where
    /// nothing is.
    package func fault(among types: [String]) -> String? {
        guard count >= 1, (.milliseconds(1)...Self.longestPeriod).contains(period) else {
            return "A rate of \(count) actions in \(period) is none: 1 or more, in 1 ms to 24 h."
        }
        guard let type, !types.contains(where: isOf) else { return nil }
        return "No action that clients may send has the type \"\(type)\", which has a rate."
    }

    private static let longestPeriod = Duration.seconds(24 * 3600)

    fileprivate func isOf(_ name: String) -> Bool {
        guard let type else { return true }
        return name == type || !keepsNewest && name.hasPrefix("\(type)/")
    }
}

/// The rates of one application's actions: those of its own that refuse, and the operator's.
package final class ActionRates: Sendable {
    /// What one sender has of a limit.
    fileprivate struct Bucket: Hashable {
        let limit: Int
        let client: Accounts.Client
        let session: SessionID?
    }

    fileprivate let limits: [RateLimit]
    /// The places of the limits of each type, by its number; of types that are not listed at the end.
    private let ofTypes: [[Int]]
    fileprivate let ends = Mutex(Ends())

    /// The instants at which senders have all of their room again: the generic cell rate algorithm
    /// (ITU-T I.371), one number a sender.
    ///
    /// All loops wait while one part grows: each has a few hundred, and senders do not choose theirs.
    fileprivate struct Ends {
        private var parts = [Part](repeating: Part(), count: 256)

        subscript(_ bucket: Bucket) -> Instant? { parts[place(of: bucket)].all[bucket] }

        /// Those of clients stand first: however many there are, no session is forgotten for them.
        private func place(of bucket: Bucket) -> Int {
            bucket.hashValue & 127 | (bucket.session == nil ? 0 : 128)
        }

        /// Actions take up a sender's room, at most all of it.
        mutating func add(_ count: Int, of limit: RateLimit, to bucket: Bucket, at now: Instant) {
            let end = max(self[bucket] ?? now, now)
                .advanced(byNanoseconds: limit.time(of: count))
            let full = now.advanced(byNanoseconds: limit.time(of: limit.count))
            parts[place(of: bucket)].put(min(end, full), of: bucket, at: now)
        }
    }

    private struct Part {
        /// Beyond so many, those of sessions begin anew: of all parts beyond 100,000.
        private static let mostCount = 100_000 / 128
        /// So many are looked at, whether they have passed, with each that comes.
        private static let forgottenCount = 8

        private(set) var all: [Bucket: Instant] = [:]
        /// All of these buckets, and the place of the one that is looked at next.
        private var line: [Bucket] = []
        private var next = 0

        mutating func put(_ end: Instant, of bucket: Bucket, at now: Instant) {
            if all.updateValue(end, forKey: bucket) == nil { line.append(bucket) }
            for _ in 0..<min(Self.forgottenCount, line.count) {
                if next >= line.count { next = 0 }
                let bucket = line[next]
                let isTooMany = line.count > Self.mostCount && bucket.session != nil
                if let end = all[bucket], end > now, !isTooMany {
                    next += 1
                } else {
                    all[bucket] = nil
                    line.swapAt(next, line.count - 1)
                    line.removeLast()
                }
            }
        }
    }

    /// Nil where nothing is limited.
    package init?(_ own: [RateLimit], of types: [String], _ operators: SessionLimits) {
        let second = Duration.seconds(1)
        let ofOperators = [
            operators.clientActionsPerSecond.map { RateLimit.atMost($0, per: second) },
            operators.sessionActionsPerSecond.map {
                RateLimit.atMost($0, per: second, from: .session)
            },
        ]
        guard own.count + ofOperators.compactMap(\.self).count > 0 else { return nil }
        let limits = ofOperators.compactMap(\.self) + own.filter { !$0.keepsNewest }
        self.limits = limits
        ofTypes = (types + [""]).map { type in limits.indices.filter { limits[$0].isOf(type) } }
    }

    /// Counts the actions of a request, by the numbers of their types, or throws where one of them comes
    /// too often: then none is counted.
    package func admit(
        _ types: [Int], of client: Accounts.Client, to session: SessionID, at now: Instant
    ) throws(Refusal) {
        var counts = limits.map { _ in 0 }
        for type in types {
            let places = ofTypes[(0..<ofTypes.count).contains(type) ? type : ofTypes.count - 1]
            for place in places { counts[place] += 1 }
        }
        for place in limits.indices where counts[place] > limits[place].count {
            throw .malformed(.tooManyActions(limit: limits[place].count))
        }
        try take(counts, of: client, to: session, at: now, isCounted: true)
    }

    /// - Parameter counts: by limits.
    fileprivate func take(
        _ counts: [Int], of client: Accounts.Client, to session: SessionID, at now: Instant,
        isCounted: Bool
    ) throws(Refusal) {
        let wishes = limits.indices.filter { counts[$0] > 0 }.map { place in
            let isOfSession = limits[place].senders == .session
            let bucket = Bucket(
                limit: place, client: isOfSession ? 0 : client,
                session: isOfSession ? session : nil)
            return (bucket: bucket, count: counts[place])
        }
        let late = ends.withLock { ends -> (limit: RateLimit, wait: Int64)? in
            let late = wishes.map { wish in
                let limit = limits[wish.bucket.limit]
                let end = max(ends[wish.bucket] ?? now, now)
                let room = limit.time(of: limit.count - wish.count)
                return (limit: limit, wait: now.duration(to: end).nanoseconds - room)
            }.max { $0.wait < $1.wait }
            if let late, late.wait > 0 { return late }
            guard isCounted else { return nil }
            for (bucket, count) in wishes {
                ends.add(count, of: limits[bucket.limit], to: bucket, at: now)
            }
            return nil
        }
        if let (limit, wait) = late {
            throw .tooOften(limit, seconds: Int((wait - 1) / 1_000_000_000) + 1)
        }
    }
}

extension RateLimit {
    /// So many actions, no more than are taken at once, take up so many nanoseconds of the period.
    fileprivate func time(of count: Int) -> Int64 {
        period.nanoseconds / Int64(self.count) * Int64(count)
    }
}

/// The client that has sent a request to a session whose actions have rates.
@usableFromInline
package final class RatedSender {
    package let client: Accounts.Client
    private let (rates, session, now): (ActionRates, SessionID, Instant)

    package init(
        _ client: Accounts.Client, _ rates: ActionRates, to session: SessionID, at now: Instant
    ) {
        self.client = client
        (self.rates, self.session, self.now) = (rates, session, now)
    }

    /// Throws where there is no room for any action: then the body need not be read.
    package func check() throws(Refusal) {
        let counts = rates.limits.map { $0.type == nil ? 1 : 0 }
        try rates.take(counts, of: client, to: session, at: now, isCounted: false)
    }

    /// Counts what is no action as one of its client's, and a batch that is too large as all that there is
    /// room for: otherwise they would cost the one who sends them nothing.
    package func charge(_ failure: ActionFailure) {
        rates.ends.withLock { ends in
            for (place, limit) in rates.limits.enumerated()
            where limit.type == nil && limit.senders == .client {
                var count = 1
                if case .tooManyActions = failure { count = limit.count }
                ends.add(
                    count, of: limit, to: .init(limit: place, client: client, session: nil), at: now
                )
            }
        }
    }

    /// Counts the actions that were decoded last, or throws where one of them comes too often.
    @usableFromInline
    package func admit(_ memory: ActionMemory, isBatch: Bool) throws(Refusal) {
        try rates.admit(
            isBatch ? memory.batchTypeNumbers : [memory.typeNumber], of: client, to: session,
            at: now)
    }
}

import Foundation
import Journaling
import Redux
import Testing

@testable import Sessions

/// A session, its clients and a journal that may do to it whatever a journal may do.
///
/// Each client's request has a key, which is also the entry that it wants to make.
private struct World: Hashable {
    enum Fate: Hashable {
        case kept, refused, stale
        /// The journal does not know; the entry is there or not.
        case unknown(isKept: Bool)
    }

    enum Operation: Hashable {
        /// A client's request makes an entry, and the journal answers at once.
        case submit(Fate)
        /// A client's request makes an entry, and the journal answers later.
        case submitLater
        /// A client's request is refused by the reducer.
        case reject
        /// The journal decides about the oldest batch that it has.
        case decide(Fate)
        /// The answer to one of the batches that are decided comes to the session.
        case deliver(Int)
        case reopen
        /// The process ends, and begins again.
        case restart
        /// Nothing is under way: the journal has the session alone, until the next request.
        case sleep
        case end
        /// A client whose request came to nothing, or to nothing known, sends it once more.
        case retry(Int)
        /// A client sends its request once more before the first one is answered.
        case repeatInFlight(Int)
    }

    private enum Status: Hashable {
        case waiting, acknowledged, rejected, lost, unknown, disconnected, ended
        case refused
    }

    private struct Batch: Hashable {
        var ticket: UInt64
        var expected: Int
        var entry: Int
        var lease: Int
        var outcome: AppendOutcome?
    }

    private static let requestLimit = 4
    /// The answers to repeats are numbered from here on.
    private static let repeated = 1_000
    private static let batchLimit = 3

    private var durability = Durability<Int>(at: 0)
    /// What everybody sees, and what is staged behind it.
    private var committed: [Int] = []
    private var pending: [Int] = []
    private var requests: [Status] = []
    /// The requests that were sent once more, and whose repeat waits.
    private var repeats: [Int] = []
    /// The journal's own: the entries that it holds, and who may append.
    private var kept: [Int] = []
    private var lease = 0
    private var sessionLease = 0
    private var batches: [Batch] = []
    private var lastTicket: UInt64 = 0
    private var mustReopen = false
    private var isForgotten = false
    private var hasEnded = false
    private(set) var faults: [String] = []

    // MARK: What may happen

    var operations: [Operation] {
        guard !hasEnded else { return [] }
        guard !isForgotten else { return [.restart] }
        var result: [Operation] = [.restart, .end]
        if mustReopen { result.append(.reopen) }
        if durability.acceptsEntries, durability.isIdle { result.append(.sleep) }
        if durability.acceptsEntries, requests.count < Self.requestLimit {
            let open = batches.contains { $0.outcome == nil }
            result += open ? [.submit(.refused)] : Self.fates.map { .submit($0) }
            if batches.count < Self.batchLimit { result.append(.submitLater) }
            result.append(.reject)
        }
        if batches.contains(where: { $0.outcome == nil }) {
            result += Self.fates.map { .decide($0) }
        }
        result += batches.indices.filter { batches[$0].outcome != nil }.map { .deliver($0) }
        if durability.acceptsEntries, batches.count < Self.batchLimit {
            result += requests.indices.filter { isRepeatable(requests[$0]) }.map { .retry($0) }
        }
        if durability.acceptsEntries, repeats.isEmpty {
            result += requests.indices.filter { isInFlight($0) }.map { .repeatInFlight($0) }
        }
        return result
    }

    private static let fates: [Fate] = [
        .kept, .refused, .stale, .unknown(isKept: true), .unknown(isKept: false),
    ]

    private func isRepeatable(_ status: Status) -> Bool {
        switch status {
        case .lost, .unknown, .disconnected, .refused: true
        case .waiting, .acknowledged, .rejected, .ended: false
        }
    }

    /// A request whose entry is with the journal may be sent once more meanwhile.
    private func isInFlight(_ request: Int) -> Bool {
        requests[request] == .waiting && pending.contains(request)
    }

    // MARK: What happens

    mutating func perform(_ operation: Operation) {
        switch operation {
        case .submit(let fate):
            requests.append(.waiting)
            submit(requests.count - 1, fate)
        case .submitLater:
            requests.append(.waiting)
            submit(requests.count - 1, nil)
        case .reject:
            requests.append(.waiting)
            conclude(requests.count - 1, makesEntry: false)
        case .decide(let fate): decide(fate)
        case .deliver(let index):
            let batch = batches.remove(at: index)
            if let outcome = batch.outcome { durability.appended(batch.ticket, outcome) }
        case .reopen: reopen()
        case .restart: restart()
        case .sleep:
            if committed != kept { faults.append("sleeps, and has not seen what is kept") }
            if isAnyWaiting { faults.append("sleeps while a request waits") }
            lease += 1
            isForgotten = true
        case .end:
            hasEnded = true
            durability.end()
        case .repeatInFlight(let request):
            let index = pending.firstIndex(of: request) ?? 0
            repeats.append(request)
            durability.wait(for: UInt64(committed.count + index + 1), Self.repeated + request)
        case .retry(let request):
            requests[request] = .waiting
            if kept.contains(request), committed.contains(request) {
                requests[request] = .acknowledged
            } else {
                submit(request, nil)
            }
        }
        performSteps()
        check()
    }

    private mutating func submit(_ request: Int, _ fate: Fate?) {
        lastTicket += 1
        pending.append(request)
        let last = UInt64(committed.count + pending.count)
        let expected = committed.count + pending.count - 1
        if UInt64(expected) != durability.handedOver { faults.append("handed over out of order") }
        var batch = Batch(
            ticket: lastTicket, expected: expected, entry: request, lease: sessionLease)
        if let fate {
            batch.outcome = outcome(of: batch, fate)
        } else {
            batches.append(batch)
        }
        switch durability.handedOver(through: last, lastTicket, batch.outcome) {
        case .kept:
            committed += pending
            pending = []
        case .later: break
        case .refused: pending.removeLast()
        }
        let wasRefused = batch.outcome.map { $0 != .kept } ?? false
        if wasRefused {
            requests[request] = batch.outcome == .unknown ? .unknown : .refused
        } else {
            conclude(request, makesEntry: true)
        }
    }

    /// Answers now, or once what the answer rests on is kept.
    private mutating func conclude(_ request: Int, makesEntry: Bool) {
        let head = UInt64(committed.count + pending.count)
        if head > durability.committed {
            durability.wait(for: head, makesEntry ? request : -1 - request)
        } else {
            requests[request] = makesEntry ? .acknowledged : .rejected
        }
    }

    private mutating func decide(_ fate: Fate) {
        guard let index = batches.firstIndex(where: { $0.outcome == nil }) else { return }
        batches[index].outcome = outcome(of: batches[index], fate)
    }

    /// A journal keeps nothing of a batch that expects another version than there is.
    private mutating func outcome(of batch: Batch, _ fate: Fate) -> AppendOutcome {
        guard batch.lease == lease else { return .stale }
        switch fate {
        case .stale:
            lease += 1
            return .stale
        case .refused: return .refused(.unavailable)
        case .kept where batch.expected != kept.count: return .refused(.unavailable)
        case .kept:
            kept.append(batch.entry)
            return .kept
        case .unknown(let isKept):
            if isKept, batch.expected == kept.count { kept.append(batch.entry) }
            return .unknown
        }
    }

    private mutating func reopen() {
        mustReopen = false
        lease += 1
        sessionLease = lease
        // What a journal hands over under an older lease can never be kept any more.
        batches.removeAll { $0.outcome == nil }
        if kept.count == committed.count {
            durability.reopened(at: UInt64(committed.count))
        } else {
            committed = kept
            durability.reopened(at: UInt64(kept.count))
        }
        pending = []
    }

    private mutating func restart() {
        for index in requests.indices where requests[index] == .waiting {
            requests[index] = .disconnected
        }
        lease += 1
        sessionLease = lease
        batches = []
        (committed, pending) = (kept, [])
        durability = Durability(at: UInt64(kept.count))
        (mustReopen, isForgotten) = (false, false)
        repeats = []
    }

    private mutating func performSteps() {
        for step in durability.takeSteps() {
            switch step {
            case .commit(let version):
                let count = Int(version) - committed.count
                committed += pending.prefix(count)
                pending.removeFirst(count)
            case .answer(let answer): end(answer, answer >= 0 ? .acknowledged : .rejected)
            case .revert(let version):
                pending.removeLast(committed.count + pending.count - Int(version))
            case .refuse(let answer, let loss):
                switch loss {
                case .notKept: end(answer, answer >= 0 ? .refused : .lost)
                case .unknown: end(answer, .unknown)
                case .moved: end(answer, .lost)
                default: end(answer, .ended)
                }
            case .reopen: mustReopen = true
            case .forget: isForgotten = true
            }
        }
    }

    private mutating func end(_ answer: Int, _ status: Status) {
        guard answer < Self.repeated else {
            let request = answer - Self.repeated
            repeats.removeAll { $0 == request }
            if status == .acknowledged, !kept.contains(request) {
                faults.append("a repeat of \(request) is acknowledged, and not kept")
            }
            if status != requests[request] { faults.append("a repeat of \(request) differs") }
            return
        }
        let request = answer >= 0 ? answer : -1 - answer
        if requests[request] != .waiting { faults.append("\(request) was answered twice") }
        requests[request] = status
    }

    // MARK: What must hold

    private var isAnyWaiting: Bool { requests.contains(.waiting) || !repeats.isEmpty }

    private mutating func check() {
        if !kept.starts(with: committed) { faults.append("seen, and not kept") }
        if Set(kept).count != kept.count { faults.append("a key has acted twice") }
        if UInt64(committed.count) != durability.committed { faults.append("a gap") }
        for (request, status) in requests.enumerated() {
            if status == .acknowledged, !kept.contains(request) {
                faults.append("\(request) is acknowledged, and not kept")
            }
            if status == .refused, kept.contains(request) {
                faults.append("\(request) is refused, and kept")
            }
        }
        if batches.isEmpty, isAnyWaiting { faults.append("a request hangs") }
        if hasEnded, isAnyWaiting { faults.append("a request outlives its session") }
    }
}

@Suite struct `The durability of a session` {
    @Test func `holds in all orders of what a journal may do`() {
        var seen: Set<World> = [World()]
        var edge = [World()]
        for _ in 1...Self.depth {
            var next: [World] = []
            for world in edge {
                for operation in world.operations {
                    var after = world
                    after.perform(operation)
                    guard after.faults.isEmpty else {
                        Issue.record("\(operation) leads to \(after.faults) from \(world)")
                        return
                    }
                    if seen.insert(after).inserted { next.append(after) }
                }
            }
            edge = next
        }
        #expect(seen.count > 10_000)
    }

    /// How many operations follow each other: 7 in seconds, or as `STATECAST_DEPTH` says.
    private static var depth: Int {
        ProcessInfo.processInfo.environment["STATECAST_DEPTH"].flatMap { Int($0) } ?? 7
    }

    @Test func `leads to steps in their order`() {
        let rows: [([(UInt64, AppendOutcome)], [Durability<Int>.Step])] = [
            ([(2, .kept), (1, .kept)], [.commit(through: 2), .answer(1), .answer(2)]),
            (
                [(2, .refused(.full)), (3, .refused(.full)), (1, .kept)],
                [
                    .revert(to: 1), .refuse(2, .notKept(.full)), .refuse(3, .notKept(.full)),
                    .commit(through: 1), .answer(1),
                ]
            ),
            (
                [(1, .unknown), (2, .kept)],
                [.revert(to: 0)] + (1...3).map { .refuse($0, .unknown) } + [.reopen]
            ),
            (
                [(1, .kept), (2, .stale)],
                [
                    .commit(through: 1), .answer(1), .revert(to: 1), .refuse(2, .moved),
                    .refuse(3, .moved), .forget,
                ]
            ),
        ]
        for (outcomes, steps) in rows {
            var durability = Durability<Int>(at: 0)
            for version in 1...3 as ClosedRange<UInt64> {
                let keeping = durability.handedOver(through: version, version, nil)
                #expect(keeping == .later)
                durability.wait(for: version, Int(version))
            }
            for (ticket, outcome) in outcomes { durability.appended(ticket, outcome) }
            let taken = durability.takeSteps()
            #expect(taken == steps)
        }
    }

    @Test func `needs no waiting where the journal answers at once`() {
        var durability = Durability<Int>(at: 7)
        for (version, outcome, expected) in [
            (8, .kept, .kept), (9, .refused(.busy), .refused), (9, .kept, .kept),
        ] as [(UInt64, AppendOutcome, Keeping)] {
            let keeping = durability.handedOver(through: version, 1, outcome)
            #expect(keeping == expected)
        }
        #expect(!durability.hasSteps && durability.committed == 9 && durability.isIdle)
    }
}

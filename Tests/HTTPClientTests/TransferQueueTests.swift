import Bytes
import Testing

@testable import HTTPClient

@Suite struct TransferQueueTests {
    private let now = ContinuousClock.now
    private let limits: HTTPClientConfiguration

    init() {
        var limits = HTTPClientConfiguration()
        (limits.transferLimit, limits.queueLimit) = (6, 20)
        (limits.ownerTransferLimit, limits.ownerQueueLimit) = (2, 10)
        self.limits = limits
    }

    /// A job that is named by its URL.
    private func job(
        _ name: String, _ id: UInt64, of owner: String?, for duration: Duration = .seconds(10)
    ) -> TransferJob {
        var request = OutboundRequest(url: name)
        request.owner = owner
        return TransferJob(id: id, request: request, deadline: now + duration) { _ in }
    }

    private func fill(
        _ queue: inout TransferQueue, _ owner: String?, _ ids: ClosedRange<UInt64>
    ) throws(HTTPClientError) {
        for id in ids {
            try queue.enqueue(job("\(owner ?? "-")\(id)", id, of: owner))
        }
    }

    private func start(_ queue: inout TransferQueue) -> [String] {
        var started: [String] = []
        while let next = queue.startNext() { started.append(next.request.url) }
        return started
    }

    @Test func `owners take turns, and each one's requests keep their order`() throws {
        var queue = TransferQueue(limits)
        try fill(&queue, "a", 1...9)
        try fill(&queue, nil, 1...1)
        try fill(&queue, "b", 1...2)
        #expect(start(&queue) == ["a1", "-1", "b1", "a2", "b2"])
        queue.end(of: "a")
        #expect(start(&queue) == ["a3"])
    }

    @Test func `an owner with any number of requests delays another one's by a single one`()
        throws
    {
        var queue = TransferQueue(limits)
        try fill(&queue, "greedy", 1...12)
        #expect(start(&queue) == ["greedy1", "greedy2"])
        try fill(&queue, "modest", 1...1)
        #expect(start(&queue) == ["modest1"])
    }

    @Test func `one owner runs and keeps waiting no more than its share`() throws {
        var queue = TransferQueue(limits)
        try fill(&queue, "a", 1...12)
        #expect(throws: HTTPClientError.ownerOverloaded(limit: 12)) {
            try fill(&queue, "a", 13...13)
        }
        #expect(start(&queue).count == 2)
        #expect(throws: HTTPClientError.ownerOverloaded(limit: 12)) {
            try fill(&queue, "a", 13...13)
        }
        queue.end(of: "a")
        try fill(&queue, "a", 13...13)
    }

    @Test func `requests without an owner are bounded in all only`() throws {
        var queue = TransferQueue(limits)
        try fill(&queue, nil, 1...26)
        #expect(throws: HTTPClientError.overloaded(limit: 26)) { try fill(&queue, "a", 1...1) }
        #expect(start(&queue) == (1...6).map { "-\($0)" })
    }

    @Test func `what is taken out of the queue does not run, and makes room`() throws {
        var queue = TransferQueue(limits)
        try fill(&queue, "a", 1...12)
        #expect(queue.remove(1, of: "b")?.id == nil)
        #expect(queue.remove(99, of: "a")?.id == nil)
        #expect(queue.remove(1, of: "a")?.request.url == "a1")
        #expect(queue.remove(1, of: "a")?.id == nil)
        try fill(&queue, "a", 13...13)
        #expect(start(&queue) == ["a2", "a3"])
    }

    @Test func `what is overdue is taken out, whoever owns it`() throws {
        var queue = TransferQueue(limits)
        for (id, seconds) in [3, 1, 2].enumerated() {
            for owner in ["a", "b", nil] {
                try queue.enqueue(
                    job("\(owner ?? "-")\(seconds)", UInt64(id), of: owner, for: .seconds(seconds)))
            }
        }
        #expect(queue.firstDeadline == now + .seconds(1))
        #expect(queue.removeExpired(at: now).isEmpty)
        #expect(
            queue.removeExpired(at: now + .seconds(2)).map(\.request.url).sorted() == [
                "-1", "-2", "a1", "a2", "b1", "b2",
            ])
        #expect(queue.firstDeadline == now + .seconds(3))
        #expect(start(&queue) == ["a3", "b3", "-3"])
        #expect(queue.firstDeadline == nil)
    }

    @Test func `an owner that has nothing left is forgotten`() throws {
        var queue = TransferQueue(limits)
        for round in 0..<3 {
            try fill(&queue, "a", 1...3)
            #expect(!queue.isEmpty)
            #expect(start(&queue) == ["a1", "a2"])
            if round == 0 { #expect(queue.remove(3, of: "a")?.request.url == "a3") }
            if round == 1 { #expect(queue.removeAll().map(\.request.url) == ["a3"]) }
            queue.end(of: "a")
            queue.end(of: "a")
            if round == 2 {
                #expect(start(&queue) == ["a3"])
                queue.end(of: "a")
            }
            #expect(queue.isEmpty)
        }
    }

    @Test(arguments: UInt64(1)...20)
    func `in any order of events no limit is passed and nothing is lost`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var queue = TransferQueue(limits)
        let owners: [String?] = ["a", "b", "c", "d", nil]
        var waiting: [String?: [UInt64]] = [:]
        var running: [String?: Int] = [:]
        for id in UInt64(1)...2_000 {
            let owner = owners[Int(random.next() % 5)]
            let total = waiting.values.joined().count + running.values.reduce(0, +)
            let own = waiting[owner, default: []].count + running[owner, default: 0]
            switch random.next() % 4 {
            case 0, 1:
                do throws(HTTPClientError) {
                    try queue.enqueue(job("\(id)", id, of: owner))
                    waiting[owner, default: []].append(id)
                    #expect(total < 26 && (owner == nil || own < 12))
                } catch {
                    #expect(total == 26 || (owner != nil && own == 12), "\(error)")
                }
            case 2:
                let candidates = owners.filter { !waiting[$0, default: []].isEmpty }
                    .filter { $0 == nil || running[$0, default: 0] < 2 }
                let isFull = running.values.reduce(0, +) == 6
                guard let started = queue.startNext() else {
                    #expect(candidates.isEmpty || isFull)
                    continue
                }
                let owner = try #require(
                    owners.first {
                        waiting[$0, default: []].first.map(String.init) == started.request.url
                    })
                #expect(candidates.contains(owner) && !isFull)
                waiting[owner]?.removeFirst()
                running[owner, default: 0] += 1
            default:
                guard running[owner, default: 0] > 0 else { continue }
                running[owner, default: 0] -= 1
                queue.end(of: owner)
            }
        }
    }
}

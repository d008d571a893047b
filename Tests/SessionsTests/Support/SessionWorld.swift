import Bytes
import Journaling
import Redux
import StateCoding
import Testing

@testable import Sessions

/// A session over a store of one number, without a socket and without a loop; what it comes to is
/// told in words.
struct SessionWorld {
    let store: NumberStore
    let journal: AnsweringJournal
    let session: Session
    let context: SessionContext
    private let reports: Reports

    private final class Reports {
        var lines: [String] = []
    }

    private final class Receiver: AppendReceiver {
        func appended(_ outcomes: [TicketOutcome]) {}
    }

    init(
        _ outcome: AppendOutcome? = .kept, memoryByteCount: Int = 1 << 30,
        limits: SessionLimits = SessionLimits(), keys: [KeptKey] = [], keepsEntries: Bool = false,
        journalKeepsEntries: Bool = false, id: String = "demo"
    ) throws {
        store = NumberStore()
        journal = AnsweringJournal(outcome, keepsEntries: journalKeepsEntries)
        let reports = Reports()
        self.reports = reports
        context = SessionContext(
            limits: limits, journal: journal, receiver: Receiver(),
            budget: MemoryBudget(limit: memoryByteCount, loopCount: 1), loopIndex: 0,
            readClock: { [store] in Instant(nanoseconds: store.spentDuration) },
            report: { id, report, _ in reports.lines.append("\(id): \(report)") })
        let id = try #require(SessionID(id))
        session = Session(
            id: id, mount: 0,
            opened: OpenedSession(
                lease: Lease(session: 1, number: 1), epoch: "e",
                created: Timestamp(milliseconds: 0), document: nil, keys: keys),
            store: store, keepsEntries: keepsEntries,
            at: Instant(nanoseconds: 0), context)
    }

    func isPresent(_ tag: ProjectionTag, in projection: Projection) -> Bool {
        tag.version(in: session.epoch, projection.suffix, through: session.version).map {
            session.projections.isPresent($0, in: projection)
        } ?? false
    }

    var projections: Projections { session.projections }
    var whole: Projection { session.projections.whole }
    var reportCount: Int { reports.lines.count }

    /// Posts a body, and tells the outcome, then the steps.
    func post(
        _ body: String, key: String? = nil, ifMatch: UInt64? = nil
    ) -> [String] {
        let bytes = Array(body.utf8)
        let key = key.map {
            RequestKey($0, of: "", for: 0, body: bytes.span, by: MemoryJournal().hash)
        }
        let now = Timestamp(milliseconds: 5)
        let told: String
        do throws(Refusal) {
            told = text(
                try session.submit(
                    bytes.count, key: key,
                    ifMatch: ifMatch.map { [Token(epoch: session.epoch, version: $0)] }, at: now
                ) { (store, append, memory) throws(Refusal) in
                    try store.submit(
                        bytes.span, by: .anonymous, at: now,
                        (context.limits.batchCount, .max, nil), in: memory, append)
                })
        } catch {
            told = "turned away \(text(error))"
        }
        return [told] + steps()
    }

    /// The journal answers for all batches that wait, in their order.
    func appended(_ outcomes: AppendOutcome...) -> [String] {
        for (ticket, outcome) in zip(journal.takeTickets(), outcomes) {
            _ = context.appended((ticket, outcome))
        }
        return steps()
    }

    /// All that is to be done for the session's clients.
    func steps() -> [String] {
        var texts: [String] = []
        while let step = session.nextStep(at: Timestamp(milliseconds: 5)) {
            texts.append(text(step))
        }
        return texts
    }

    /// Goes on with what is being published.
    func publishMore(isEarly: Bool = false) -> String {
        text(session.publishMore(isEarly: isEarly))
    }

    // MARK: Words

    private func text(_ reply: Reply) -> String {
        switch reply {
        case .now(.success(let decision)): "taken \(text(decision))"
        case .now(.failure(let refusal)): "refused \(text(refusal))"
        case .later: "held"
        }
    }

    private func text(_ step: SessionStep) -> String {
        switch step {
        case .regroup: "regroup"
        case .publish(let whole, let others):
            (["publish"] + ([whole].compactMap { $0 } + others).map(text)).joined(separator: " ")
        case .unreadable(let refusal): "unreadable \(text(refusal))"
        case .answer(_, .success(let decision)): "answer \(text(decision))"
        case .answer(_, .failure(let refusal)): "answer \(text(refusal))"
        case .reopen: "reopen"
        case .leave: "leave"
        }
    }

    private func text(_ projection: Projection) -> String {
        projection.json.map { SessionsTests.text($0) } ?? "nothing"
    }

    private func text(_ decision: Decision) -> String {
        var words = ["\(decision.version)"]
        if decision.changed { words.append("changed") }
        if decision.isDropped { words.append("dropped") }
        if decision.isRepeated { words.append("repeated") }
        if let results = decision.results { words.append("of \(results.count)") }
        return words.joined(separator: " ")
    }

    private func text(_ refusal: Refusal) -> String {
        String("\(refusal)".prefix { $0 != "(" })
    }
}

func text(_ bytes: SharedBytes) -> String { String(decoding: bytes.bytes, as: UTF8.self) }
func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
func pointer(_ text: String) throws -> JSONPointer { try #require(JSONPointer(parsing: text)) }

/// The instant so many seconds after the one at which sessions of tests are opened.
func instant(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

import HTTPServer
import Journaling
import Logging
import Sockets

/// Why entries were not appended, and said so at once.
enum AppendProblem: Sendable, Hashable {
    /// The journal has refused them.
    case journal(JournalFailure)
    /// The journal has them or not, or another server has the session.
    case lost(Durability<HeldAnswer>.Loss)
    /// An action, or the state, cannot be written as JSON.
    case notEncodable
    /// The state would be larger than allowed.
    case stateTooLarge(limit: Int)
    /// The state is about as large as it may be, and is not measured again for so many seconds.
    case stateAtLimit(seconds: Int)
    /// The session is not small, and the server holds far more than it may.
    case shortOfMemory

    /// The problem that an outcome is for those who wait; nil where the entries are kept.
    init?(_ outcome: AppendOutcome) {
        switch outcome {
        case .kept: return nil
        case .refused(let failure): self = .journal(failure)
        case .stale: self = .lost(.moved)
        case .unknown: self = .lost(.unknown)
        }
    }
}

extension Session {
    // MARK: Handing over

    /// Hands entries over to the journal: those of a request, or, without one, of actions that
    /// followed.
    func append(
        _ batch: StagedBatch, of request: ActionRequest?, _ byteCount: Int,
        _ context: SessionContext, on loop: isolated EventLoop,
        _ content: StagedBatch.Content, _ state: StagedBatch.StateContent
    ) -> Keeping {
        guard durability.acceptsEntries else { return .refused }
        appendProblem = isTooLarge(context) ? .shortOfMemory : nil
        guard appendProblem == nil else { return .refused }
        let ticket = context.makeTicket()
        let appended = AppendBatch(
            lease: lease, expected: durability.handedOver, count: batch.count,
            receiver: context.receiver, ticket: ticket)
        let key = batch.isCaused ? nil : request?.key
        do throws(EncodingFailure) {
            let intake = StateMeter.Intake(
                entryCount: batch.count, byteCount: byteCount, isReported: batch.isCaused)
            meter.add(intake)
            if meter.isDue(limit: context.limits.stateByteCount) {
                try measure(intake, context) { () throws(EncodingFailure) in try state().count }
            }
            let outcome = try context.journal.append(appended) { () throws(EncodingFailure) in
                var encoded = EncodedEntries([], state: nil)
                try self.measure(intake, context) { () throws(EncodingFailure) in
                    encoded = try content()
                    return encoded.state?.count
                }
                return self.contents(of: encoded, batch, key, at: loop.wallClockMilliseconds)
            }
            if outcome == nil { context.tickets[ticket] = self }
            appendProblem = outcome.flatMap { AppendProblem($0) }
            return durability.handedOver(through: batch.version, ticket, outcome)
        } catch {
            guard appendProblem == nil else { return .refused }
            appendProblem = .notEncodable
            context.logger.error(
                "An action or its state cannot be written as JSON: \(error.detail)",
                metadata: ["session": "\(id)", "pointer": "\(error.pointer)"])
            return .refused
        }
    }

    // MARK: The size of the state

    /// Measures the state behind entries. Where it is too large, only these are refused; at its limit,
    /// where many are refused, it is not measured each time.
    ///
    /// - Parameter encode: writes the state, and tells its size; nil where it has not changed.
    private func measure(
        _ intake: StateMeter.Intake, _ context: SessionContext,
        _ encode: () throws(EncodingFailure) -> Int?
    ) throws(EncodingFailure) {
        let start = Instant.read()
        if let seconds = meter.pause(at: start) {
            meter.leaveOut(intake)
            appendProblem = .stateAtLimit(seconds: seconds)
            throw Self.tooLarge
        }
        guard let byteCount = try encode() else { return }
        let limit = context.limits.stateByteCount
        guard byteCount <= limit else {
            meter.refused(intake, byteCount, since: start, at: .read())
            appendProblem = .stateTooLarge(limit: limit)
            throw Self.tooLarge
        }
        meter.measured(byteCount)
        countMemory(context)
    }

    private static let tooLarge = EncodingFailure(
        reason: .refused, pointer: JSONPointer(), detail: "The state is too large.")

    /// The bytes of entries. The key, and for a batch the outcomes of its actions, stand in the
    /// last of them.
    private func contents(
        of encoded: EncodedEntries, _ batch: StagedBatch, _ key: ActionRequest.Key?,
        at milliseconds: Int64
    ) -> [EntryContent] {
        lastEntryTime = max(lastEntryTime, milliseconds)
        return encoded.entries.enumerated().map { index, entry in
            let isLast = index == encoded.entries.count - 1
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("origin", entry.origin.rawValue)
            if let cause = entry.cause { writer.member("cause", cause) }
            if let key, isLast {
                if !key.principal.isEmpty {
                    writer.name("by")
                    writer.beginObject()
                    writer.member("id", key.principal)
                    writer.endObject()
                }
                writer.member("key", key.text)
                writer.member("print", String(key.print, radix: 16))
            }
            if isLast, let record = batch.record {
                writer.member("batch", String(decoding: record, as: UTF8.self))
            }
            writer.member("action", json: entry.action.span)
            writer.endObject()
            return EntryContent(
                at: Timestamp(milliseconds: lastEntryTime), head: writer.bytes,
                patch: isLast ? encoded.state.map(Self.replacement) : nil)
        }
    }

    /// The patch that replaces the whole state: `[{"op":"replace","path":"","value":…}]`.
    private static func replacement(by state: [UInt8]) -> [UInt8] {
        Array("[{\"op\":\"replace\",\"path\":\"\",\"value\":".utf8) + state + Array("}]".utf8)
    }

    // MARK: Outcomes

    /// Submits what committed entries and effects have dispatched.
    func submitFollowUps(_ context: SessionContext, on loop: isolated EventLoop) {
        guard frozen == nil, durability.acceptsEntries else { return }
        store.submitFollowUps { batch, content, state in
            append(batch, of: nil, 0, context, on: loop, content, state)
        }
        publish(context, on: loop)
        performSteps(context, on: loop)
    }

    /// Does what the durability of the session has come to. Of several commits the last one makes
    /// all entries visible, and everybody is told once.
    func performSteps(_ context: SessionContext, on loop: isolated EventLoop) {
        var hasCommitted = false
        var steps = durability.takeSteps()
        while !steps.isEmpty {
            if let last = steps.reversed().lazy.compactMap(\.committedVersion).first {
                hasCommitted = true
                store.commit(through: last)
                publish(context, on: loop)
            }
            for step in steps { perform(step, context, on: loop) }
            steps = durability.takeSteps()
        }
        if hasCommitted { submitFollowUps(context, on: loop) }
    }

    private func perform(
        _ step: Durability<HeldAnswer>.Step, _ context: SessionContext,
        on loop: isolated EventLoop
    ) {
        switch step {
        case .commit: break
        case .answer(let held): answer(held.result, held.request, context, on: loop)
        case .revert(let version): store.revert(to: version)
        case .refuse(let held, let loss):
            if let key = held.request.key { keysInFlight[key.hash] = nil }
            refuse(held.request.exchange, loss, on: loop)
        case .reopen:
            endStreams("busy", on: loop)
            context.doubtful.append(self)
        case .forget: context.lost.append(self)
        }
    }

    func refuse(
        _ exchange: Exchange, _ loss: Durability<HeldAnswer>.Loss, on loop: isolated EventLoop
    ) {
        exchange.respond(ProblemDetails(loss), on: loop)
    }

    /// Nothing is accepted any more; what was committed can still be read.
    func freeze(_ reason: String, _ context: SessionContext, on loop: isolated EventLoop) {
        guard frozen == nil else { return }
        frozen = reason
        context.logger.error("A session is frozen: \(reason)", metadata: ["session": "\(id)"])
        store.cancelEffects()
    }
}

extension Durability.Step {
    /// The version that the step makes visible.
    fileprivate var committedVersion: UInt64? {
        if case .commit(let version) = self { version } else { nil }
    }
}

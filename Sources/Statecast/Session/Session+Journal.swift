import HTTPServer
import Journaling
import Logging
import Sockets

/// Why entries were not appended, and said so at once.
enum AppendProblem: Sendable, Hashable {
    /// The journal has refused them.
    case journal(JournalFailure)
    /// An action, or the state, cannot be written as JSON.
    case notEncodable
    /// The state would be larger than allowed.
    case stateTooLarge(limit: Int)
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
        appendProblem = nil
        let ticket = context.makeTicket()
        let appended = AppendBatch(
            lease: lease, expected: durability.handedOver, count: batch.count,
            receiver: context.receiver, ticket: ticket)
        let key = batch.isCaused ? nil : request?.key
        do throws(EncodingFailure) {
            let weight =
                batch.isCaused
                ? batch.count * StateMeter.reportWeight
                : max(byteCount, batch.count * StateMeter.leastWeight)
            meter.add(weight)
            if meter.isDue(limit: context.limits.stateByteCount) {
                guard measured(try state().count, context) == .inBounds else {
                    return .refused
                }
            }
            let outcome = try context.journal.append(appended) { () throws(EncodingFailure) in
                try self.contents(
                    of: try content(), batch, key, context, at: loop.wallClockMilliseconds)
            }
            if outcome == nil { context.tickets[ticket] = self }
            if case .refused(let failure) = outcome { appendProblem = .journal(failure) }
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

    /// What a measurement of the state came to.
    private enum Measurement {
        case inBounds, tooLarge
    }

    /// The state behind the entries has so many bytes. Where these are too many, only the entries
    /// are refused.
    private func measured(_ byteCount: Int, _ context: SessionContext) -> Measurement {
        meter.measured(byteCount)
        countMemory(context)
        let limit = context.limits.stateByteCount
        guard byteCount > limit else { return .inBounds }
        appendProblem = .stateTooLarge(limit: limit)
        return .tooLarge
    }

    /// The bytes of entries. The key, and for a batch the outcomes of its actions, stand in the
    /// last of them.
    private func contents(
        of encoded: EncodedEntries, _ batch: StagedBatch, _ key: ActionRequest.Key?,
        _ context: SessionContext, at milliseconds: Int64
    ) throws(EncodingFailure) -> [EntryContent] {
        if let state = encoded.state, measured(state.count, context) == .tooLarge {
            throw EncodingFailure(
                reason: .refused, pointer: JSONPointer(), detail: "The state is too large.")
        }
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

    /// The journal has answered for a batch.
    func appended(
        _ ticket: UInt64, _ outcome: AppendOutcome, _ context: SessionContext,
        on loop: isolated EventLoop
    ) {
        durability.appended(ticket, outcome)
        performSteps(context, on: loop)
    }

    /// Submits what committed entries and effects have dispatched.
    func submitFollowUps(_ context: SessionContext, on loop: isolated EventLoop) {
        guard frozen == nil, durability.acceptsEntries else { return }
        store.submitFollowUps { batch, content, state in
            append(batch, of: nil, 0, context, on: loop, content, state)
        }
        publish(context, on: loop)
        performSteps(context, on: loop)
    }

    /// Does what the durability of the session has come to.
    func performSteps(_ context: SessionContext, on loop: isolated EventLoop) {
        var hasCommitted = false
        var steps = durability.takeSteps()
        while !steps.isEmpty {
            for step in steps {
                if case .commit = step { hasCommitted = true }
                perform(step, context, on: loop)
            }
            steps = durability.takeSteps()
        }
        if hasCommitted { submitFollowUps(context, on: loop) }
    }

    private func perform(
        _ step: Durability<HeldAnswer>.Step, _ context: SessionContext,
        on loop: isolated EventLoop
    ) {
        switch step {
        case .commit(let version):
            store.commit(through: version)
            publish(context, on: loop)
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

import HTTPMessages
import HTTPServer
import HTTPTypes
import Journaling
import Sockets

/// What a POST asks for besides its actions.
struct ActionRequest {
    var exchange: Exchange
    var key: String?
    var fingerprint: UInt64 = 0
    var returnsState = false
    var settle: Duration?
    /// Whether it is for one state only.
    var isConditional = false
    /// Whether its key was used before: the first answer is given again, once its effects have
    /// settled, or as the state, where the repeat asks for that.
    var isRepeated = false

    /// Whether it asks for nothing but its actions.
    var isPlain: Bool { key == nil && settle == nil && !returnsState }
}

/// An answer that waits for the journal.
struct HeldAnswer {
    /// The decided version that it rests on.
    var version: UInt64
    var request: ActionRequest
    /// The answer, or why not.
    var result: Result<ActionAnswer, ProblemDetails>
}

extension Session {
    /// Takes posted actions through decision, journal, commit, publication and answer.
    func post(
        _ body: Span<UInt8>, _ request: ActionRequest, ifMatch: (Token) -> Bool,
        _ context: SessionContext, on loop: isolated EventLoop
    ) {
        if let key = request.key, let known = idempotency.entry(key) {
            return answerAgain(known, request, context, on: loop)
        }
        if let frozen {
            return request.exchange.respond(.frozen(frozen), on: loop)
        }
        guard !request.isConditional || ifMatch(Token(epoch: epoch, version: store.headVersion))
        else {
            return conclude(.failure(.preconditionFailed), request, context, on: loop)
        }
        let inline = context.journal.commitsInline
        do throws(ActionFailure) {
            let submission = try store.submit(
                body, batchLimit: context.limits.batchCount, commits: inline,
                in: context.memory)
            context.metrics.actions += 1
            if inline, request.isPlain, case .single(let outcome) = submission,
                case .accepted(_, let last, _) = outcome
            {
                publish(context, on: loop)
                return respond(ActionAnswer(outcome, version: last), request, context, on: loop)
            }
            conclude(result(of: submission), request, context, on: loop)
        } catch {
            request.exchange.respond(
                ProblemDetails(error, known: store.knownTypes), on: loop)
        }
    }

    private func result(of submission: Submission) -> Result<ActionAnswer, ProblemDetails> {
        switch submission {
        case .single(.rejected(let rejection)): .failure(ProblemDetails(rejection))
        case .single(let outcome):
            .success(ActionAnswer(outcome, version: store.headVersion))
        case .batch(.rejected(let index, let rejection)):
            .failure(ProblemDetails(rejection, index: index))
        case .batch(.accepted(let outcomes)):
            .success(ActionAnswer(outcomes, version: store.headVersion))
        }
    }

    /// Answers now, or once everything that the answer rests on is durable.
    private func conclude(
        _ result: Result<ActionAnswer, ProblemDetails>, _ request: ActionRequest,
        _ context: SessionContext, on loop: isolated EventLoop
    ) {
        if case .failure = result { context.metrics.rejections += 1 }
        if context.journal.commitsInline {
            publish(context, on: loop)
            return answer(result, request, context, on: loop)
        }
        if let key = request.key, case .success = result {
            idempotency.insert(
                key, .init(fingerprint: request.fingerprint, madeAt: loop.now), context.limits)
        }
        journalUncommitted(context, on: loop)
        guard store.headVersion > store.version else {
            return answer(result, request, context, on: loop)
        }
        uncommitted.append(
            HeldAnswer(version: store.headVersion, request: request, result: result))
    }

    private func answerAgain(
        _ known: IdempotencyTable.Entry, _ request: ActionRequest, _ context: SessionContext,
        on loop: isolated EventLoop
    ) {
        guard known.fingerprint == request.fingerprint else {
            return request.exchange.respond(.idempotencyKeyReused, on: loop)
        }
        var request = request
        request.isRepeated = true
        guard let first = known.answer else {
            guard let index = uncommitted.firstIndex(where: { $0.request.key == request.key })
            else {
                return request.exchange.respond(.outcomeUnknown, on: loop)
            }
            let waiting = uncommitted[index]
            return uncommitted.insert(
                HeldAnswer(version: waiting.version, request: request, result: waiting.result),
                at: index + 1)
        }
        answer(.success(first), request, context, on: loop)
    }

    /// Answers; holds the answer while effects run that it shall wait for.
    func answer(
        _ result: Result<ActionAnswer, ProblemDetails>, _ request: ActionRequest,
        _ context: SessionContext, on loop: isolated EventLoop
    ) {
        switch result {
        case .failure(let problem):
            let token = tokenBytes
            request.exchange.respond(problem, on: loop) { writer in
                writer.field("ETag") { Self.quote(token, to: &$0) }
            }
        case .success(var answer):
            if let key = request.key, !request.isRepeated {
                idempotency.insert(
                    key,
                    .init(fingerprint: request.fingerprint, madeAt: loop.now, answer: answer),
                    context.limits)
            }
            if let settle = request.settle {
                if let roots = answer.roots, !isSettled(roots),
                    waiterCount < context.limits.waiterCount
                {
                    return hold(answer, request, roots, for: settle, context, on: loop)
                }
                answer.settled = true
                answer.version = store.version
            }
            respond(answer, request, context, on: loop)
        }
    }

    /// Writes an answer.
    func respond(
        _ answer: ActionAnswer, _ request: ActionRequest, _ context: SessionContext,
        on loop: isolated EventLoop
    ) {
        if request.returnsState {
            return respondWithState(answer, request, context, on: loop)
        }
        context.scratch.removeAll(keepingCapacity: true)
        answer.write(epoch: epoch, to: &context.scratch)
        request.exchange.respond(status: answer.status, on: loop) { writer in
            writer.lines(Self.actionAnswerLines)
            Token.append(epoch, answer.version, to: &writer.bytes)
            writer.lines(request.isRepeated ? Self.replayedLines : Self.etagEnd)
            writer.body(context.scratch)
        }
    }

    private func respondWithState(
        _ answer: ActionAnswer, _ request: ActionRequest, _ context: SessionContext,
        on loop: isolated EventLoop
    ) {
        do throws(ProblemDetails) {
            let json = try content(of: whole, context, on: loop)
            let etag = etag(whole)
            request.exchange.respond(status: answer.status, on: loop) { writer in
                writer.field("Content-Type", "application/json")
                writer.field("Preference-Applied", "return=representation")
                writer.field("Cache-Control", "no-store")
                if request.isRepeated { writer.field("Idempotency-Replayed", "true") }
                writer.field("ETag") { Self.quote(etag, to: &$0) }
                writer.body(json?.bytes ?? [])
            }
        } catch {
            request.exchange.respond(error, on: loop)
        }
    }

    static func quote(_ tag: [UInt8], to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        output.append(contentsOf: tag)
        output.append(UInt8(ascii: "\""))
    }

    private static let actionAnswerLines = Array(
        "Content-Type: application/json\r\nCache-Control: no-store\r\nETag: \"".utf8)
    private static let etagEnd = Array("\"\r\n".utf8)
    private static let replayedLines = Array("\"\r\nIdempotency-Replayed: true\r\n".utf8)
}

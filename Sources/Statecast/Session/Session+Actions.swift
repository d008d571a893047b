import HTTPMessages
import HTTPServer
import HTTPTypes
import Sockets

extension Session {
    /// Takes posted actions through decision, journal, commit, publication and answer.
    func post(
        _ body: Span<UInt8>, _ request: ActionRequest, ifMatch: (Token) -> Bool,
        _ context: SessionContext, on loop: isolated EventLoop
    ) {
        guard request.key == nil || takesKey(of: request, context, on: loop) else { return }
        guard durability.acceptsEntries else {
            let loss: Durability<HeldAnswer>.Loss = durability.phase == .ended ? .moved : .unknown
            return refuse(request.exchange, loss, on: loop)
        }
        if let frozen {
            return request.exchange.respond(.frozen(frozen), on: loop)
        }
        guard !request.isConditional || ifMatch(Token(epoch: epoch, version: store.headVersion))
        else {
            return conclude(.failure(.preconditionFailed), request, context, on: loop)
        }
        do throws(ActionFailure) {
            let submission = try store.submit(
                body, batchLimit: context.limits.batchCount, in: context.memory
            ) { batch, content, state in
                append(batch, of: request, body.count, context, on: loop, content, state)
            }
            context.metrics.actions += 1
            wasPostedTo = true
            conclude(result(of: submission), request, context, on: loop)
        } catch {
            request.exchange.respond(
                ProblemDetails(error, known: store.knownTypes), on: loop)
        }
    }

    private func result(of submission: Submission) -> Result<ActionAnswer, ProblemDetails> {
        switch submission {
        case .single(.rejected(let rejection)): .failure(ProblemDetails(rejection))
        case .batch(.rejected(let index, let rejection)):
            .failure(ProblemDetails(rejection, index: index))
        case .single(.refused), .batch(.refused):
            .failure(appendProblem.map { ProblemDetails($0) } ?? .outcomeUnknown)
        case .single(let outcome):
            .success(ActionAnswer(outcome, version: store.headVersion))
        case .batch(.accepted(let outcomes)):
            .success(
                ActionAnswer(outcomes.map { ActionResult($0) }, version: store.headVersion))
        }
    }

    /// Answers now, or once everything that the answer rests on is kept.
    private func conclude(
        _ result: Result<ActionAnswer, ProblemDetails>, _ request: ActionRequest,
        _ context: SessionContext, on loop: isolated EventLoop
    ) {
        if case .failure = result { context.metrics.rejections += 1 }
        publish(context, on: loop)
        performSteps(context, on: loop)
        // Actions that have followed meanwhile may be lost without it.
        let ownVersion: UInt64? =
            if case .success(let answer) = result { answer.roots?.upperBound } else { nil }
        let version = ownVersion ?? store.headVersion
        guard version > durability.committed else {
            return answer(result, request, context, on: loop)
        }
        if let key = request.key, case .success(let answer) = result {
            keysInFlight[key.hash] = KeyInFlight(print: key.print, version: version, answer: answer)
        }
        durability.wait(for: version, HeldAnswer(request: request, result: result))
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
                keep(key, answer, at: Timestamp(milliseconds: loop.wallClockMilliseconds))
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
            let json = try content(of: projections.whole, context, on: loop) ?? SharedBytes([])
            let etag = tag(projections.whole)
            request.exchange.respond(status: answer.status, body: json, on: loop) { writer in
                writer.field("Content-Type", "application/json")
                writer.field("Preference-Applied", "return=representation")
                writer.field("Cache-Control", "no-store")
                if request.isRepeated { writer.field("Idempotency-Replayed", "true") }
                writer.field("ETag") { Self.quote(etag, to: &$0) }
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

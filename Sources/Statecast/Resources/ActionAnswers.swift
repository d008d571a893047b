import HTTPMessages
import HTTPServer
import Redux
import Sessions
import Sockets

/// Answers the POSTs of one loop: at once, or when what they wait for has come.
final class ActionAnswers {
    /// The calls that wait for a journal, of which no client is to be answered.
    let calls = HeldCalls()
    private let limits: SessionLimits
    /// The requests that wait for a journal.
    private var held: [Ticket: ActionRequest] = [:]
    /// The requests that wait for effects.
    private var settling: [Ticket: SettlingAnswer] = [:]
    /// The memory in which bodies are written before they are sent.
    private var scratch: [UInt8] = []

    init(limits: SessionLimits) {
        self.limits = limits
    }

    // MARK: The journal

    /// Has a request wait for its session's journal.
    func hold(_ request: ActionRequest, _ ticket: Ticket) {
        precondition(held[ticket] == nil, "A ticket is one request's.")
        held[ticket] = request
    }

    /// The outcome of a request that has waited for the journal.
    func answer(
        _ ticket: Ticket, _ result: Result<Decision, Refusal>, of session: Session,
        on loop: isolated EventLoop
    ) {
        guard let request = held.removeValue(forKey: ticket) else {
            return calls.finish(ticket, result)
        }
        ProblemAnswer.catching(request.exchange, on: loop) { () throws(ProblemAnswer) in
            switch result {
            case .success(let decision):
                try answer(decision, to: request, of: session, on: loop)
            case .failure(let refusal):
                throw ProblemAnswer(ProblemDetails(refusal), tag: session.token.bytes)
            }
        }
    }

    /// A request that has waited for the journal is refused.
    func refuse(_ ticket: Ticket, _ loss: Loss, on loop: isolated EventLoop) {
        guard let request = held.removeValue(forKey: ticket) else {
            return calls.finish(ticket, .failure(.lost(loss)))
        }
        request.exchange.respond(ProblemDetails(loss), on: loop)
    }

    // MARK: Effects

    /// Answers, or has the request wait for the effects of its actions.
    func answer(
        _ decision: Decision, to request: ActionRequest, of session: Session,
        on loop: isolated EventLoop
    ) throws(ProblemAnswer) {
        guard let duration = request.settle else {
            return try respond(decision, to: request, of: session, on: loop)
        }
        if let roots = decision.roots, !session.store.isSettled(roots),
            session.waiterCount < limits.waiterCount
        {
            let ticket = session.settle(roots)
            let answer = SettlingAnswer(ticket, decision, request, of: session, in: self)
            settling[ticket] = answer
            return answer.wait(for: duration, on: loop)
        }
        try respond(decision, to: request, of: session, isSettled: true, on: loop)
    }

    /// Answers the requests whose effects have all ended.
    func answerSettled(of session: Session, on loop: isolated EventLoop) {
        for ticket in session.settling.takeSettled({ session.store.isSettled($0) }) {
            conclude(ticket, isSettled: true, on: loop)
        }
    }

    /// Answers all requests that wait for effects of a session.
    func endSettling(of session: Session, on loop: isolated EventLoop) {
        for ticket in session.settling.takeAll() { conclude(ticket, isSettled: false, on: loop) }
    }

    private func conclude(_ ticket: Ticket, isSettled: Bool, on loop: isolated EventLoop) {
        settling.removeValue(forKey: ticket)?.respond(isSettled: isSettled, on: loop)
    }

    /// A request no longer waits for effects.
    func withdraw(_ ticket: Ticket, of session: Session) {
        settling[ticket] = nil
        session.settling.remove(ticket)
    }

    // MARK: Writing

    /// Writes an answer.
    ///
    /// - Parameter isSettled: tells whether the effects have ended, where the client wants to know.
    func respond(
        _ decision: Decision, to request: ActionRequest, of session: Session,
        isSettled: Bool? = nil, on loop: isolated EventLoop
    ) throws(ProblemAnswer) {
        var decision = decision
        if isSettled != nil { decision.version = session.version }
        let status = decision.isDelayed ? 202 : 200
        if let viewer = request.viewer {
            let shown = session.projections.find(nil, for: Viewer(viewer), in: session.store)
            // Who may not see the state is told the outcome: the actions were taken.
            if let json = try StateAnswer.content(of: shown, in: session) {
                let tag = session.tag(shown)
                return respond(decision, status, to: request, json, tag, on: loop)
            }
        }
        let epoch = session.epoch
        // Taken out while it is written, so that no access to it is open meanwhile.
        var body: [UInt8] = []
        swap(&body, &scratch)
        body.removeAll(keepingCapacity: true)
        let token = ActionAnswer.write(decision, epoch: epoch, isSettled: isSettled, to: &body)
        request.exchange.respond(status: status, on: loop) { writer in
            writer.lines(Self.startLines)
            writer.bytes.append(contentsOf: body[token])
            writer.lines(decision.isRepeated ? Self.replayedLines : Self.etagEnd)
            writer.body(body)
        }
        swap(&body, &scratch)
    }

    /// Writes an answer that is the state.
    private func respond(
        _ decision: Decision, _ status: Int, to request: ActionRequest, _ json: SharedBytes,
        _ tag: [UInt8], on loop: isolated EventLoop
    ) {
        request.exchange.respond(status: status, body: json, on: loop) { writer in
            writer.field("Content-Type", "application/json")
            writer.field("Preference-Applied", "return=representation")
            writer.field("Cache-Control", "no-store")
            if decision.isRepeated { writer.field("Idempotency-Replayed", "true") }
            writer.field("ETag") { StateAnswer.quote(tag, to: &$0) }
        }
    }

    private static let startLines = Array(
        "Content-Type: application/json\r\nCache-Control: no-store\r\nETag: \"".utf8)
    private static let etagEnd = Array("\"\r\n".utf8)
    private static let replayedLines = Array("\"\r\nIdempotency-Replayed: true\r\n".utf8)
}

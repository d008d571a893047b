import Bytes
import HTTPMessages
import HTTPServer
import Redux
import Sessions
import Sockets
import StateCoding

/// `POST M/sessions/{id}/actions` (protocol §4), and `PUT M/sessions/{id}/state`, which sets the state
/// by hand, for the role *admin*.
extension Router {
    /// Has a session decide about the actions in a body, or take the state in it over, and answers.
    func submit(
        _ request: SessionRequest, to session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let isState = request.resource == .state
        let key = try key(of: request, in: bytes)
        let wishes = try wishes(of: request, in: bytes)
        if isState {
            let tag = session.token.bytes
            guard !request.hasSeen(tag, in: bytes) else { throw .preconditionFailed.with(tag: tag) }
        }
        let now = session.time(on: loop)
        let body = bytes.extracting(request.body)
        let comparedCount =
            body.count <= Self.smallByteCount
            ? .max : Self.comparedByteCount / max(1, session.stateByteCount())
        let sender = shared.rates[request.mount].map {
            RatedSender(gate.client(of: request, in: bytes), $0, to: session.id, at: loop.now)
        }
        let limit = (context.limits.batchCount, comparedCount, sender)
        let reply: Reply
        do throws(Refusal) {
            defer { registry.performer.perform(session, on: loop) }
            reply = try session.submit(
                body.count, key: key, ifMatch: Self.versions(for: request, in: bytes), at: now
            ) { (store, append, memory) throws(Refusal) in
                if isState {
                    return try store.replaceState(by: body, of: request.principal, at: now, append)
                }
                return try store.submit(
                    body, by: request.principal, at: now, limit, in: memory, append)
            }
        } catch {
            let problem = ProblemDetails(error, known: session.actions?.knownTypes ?? [])
            if !isState, let sender {
                switch error {
                case .tooOften:
                    return refuse(
                        request, problem, of: sender.client, to: session, in: bytes, on: loop)
                case .malformed(let failure):
                    sender.charge(failure)
                    guard case .tooManyActions = failure else { break }
                    return refuse(
                        request, problem, of: sender.client, to: session, in: bytes, on: loop)
                default: break
                }
            }
            if !isState { throw problem }
            if case .unreadable = error { throw problem }
            throw problem.with(tag: session.token.bytes)
        }
        try registry.performer.answer(reply, to: wishes, of: session, on: loop)
    }

    /// Refuses what comes too often, a little later: a client that does not wait is slowed down by that,
    /// whatever it sends behind it, and costs others nothing. The more of its requests wait, the later
    /// the next one is answered: however many connections it has, a loop answers 100 in a second.
    private func refuse(
        _ request: SessionRequest, _ problem: ProblemDetails, of client: Accounts.Client,
        to session: Session, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) {
        let (exchange, count) = (request.exchange, refused[client, default: 0] + 1)
        refused[client] = count
        if count == 1 {
            let name = gate.name(of: request, in: bytes)
            registry.context.diagnostics.write(
                ("too-often", .notice, "\(name) was refused: \(problem.detail ?? "")"),
                of: "\(session.mountName)/\(session.id)", at: loop.now)
        }
        let pause = Duration.milliseconds(max(100, 10 * count))
        _ = Held(exchange, for: pause, on: loop) { [self] held, interruption in
            // A server that stops waits for no pause.
            held.end(on: loop)
            let rest = (refused[client] ?? 1) - 1
            refused[client] = rest > 0 ? rest : nil
            if interruption != .clientGone { exchange.respond(problem, on: loop) }
        }
    }

    /// So few bytes hold few actions: nobody asks how large the state is beside them.
    private static let smallByteCount = 128
    /// The bytes of states that one batch may copy and compare, action by action: that takes 6 ms.
    private static let comparedByteCount = 32 << 20

    /// The versions that a request may act on: those that `If-Match` names; nil for any.
    private static func versions(
        for request: SessionRequest, in bytes: Span<UInt8>
    ) -> [Token]? {
        guard request.head.has(.ifMatch) else { return nil }
        var versions: [Token] = []
        let condition = EntityTag.condition(.ifMatch, of: request.head, in: bytes) { tag in
            if let token = Token(tag.string(in: bytes)) { versions.append(token) }
            return false
        }
        // Only `*` matches; what is malformed names none.
        return condition == .matches ? nil : condition == .differs ? versions : []
    }

    /// The idempotency key of a request, with a print of the body and of what that is for.
    private func key(
        of request: SessionRequest, in bytes: Span<UInt8>
    ) throws(ProblemDetails) -> RequestKey? {
        guard let field = request.head.value(.idempotencyKey) else { return nil }
        guard let key = field.idempotencyKey(in: bytes) else {
            throw .badParameter("Idempotency-Key", "1 to 128 visible characters.")
        }
        let body = bytes.extracting(request.body)
        return RequestKey(
            key, of: request.principal.id ?? "", for: gate.client(of: request, in: bytes),
            body: body,
            for: request.resource == .state ? "state" : "", by: context.hash)
    }

    /// The wishes of a request about its answer.
    private func wishes(
        of request: SessionRequest, in bytes: Span<UInt8>
    ) throws(ProblemDetails) -> ActionRequest {
        var wishes = ActionRequest(
            exchange: request.exchange, part: request.resource == .state ? nil : "payload")
        if request.head.has(.prefer), request.caller.roles.contains(Role.observe),
            let answer = request.head.preference("return", in: bytes),
            answer.isEqual(to: "representation", in: bytes)
        {
            wishes.viewer = request.principal
        }
        if !request.head.query.isEmpty, let text = Query(request.head.query, in: bytes)["settle"] {
            wishes.settle = try context.limits.wait(text, of: "settle")
        }
        return wishes
    }
}

/// The wishes of a POST about its answer.
struct ActionRequest {
    let exchange: Exchange
    /// The part of the body that a rejection is about; nil: all of it.
    let part: String?
    /// The answer is the state, as this principal sees it; nil for the outcome alone.
    var viewer: Principal?
    /// The answer waits so long for the effects of the actions.
    var settle: Duration?
}

/// A request that waits for the effects of its entries.
typealias SettlingRequest = (decision: Decision, request: ActionRequest, held: Held)

/// Answers POSTs: at once, or when what they wait for has come.
extension StepPerformer {
    /// Answers a request, once the journal has kept what the answer rests on. A refusal has the tag of
    /// the state that it was judged by, unless that is lost.
    func answer(
        _ reply: Reply, to request: ActionRequest, of session: Session,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        switch reply {
        case .now(.success(let decision)):
            try answer(decision, to: request, of: session, on: loop)
        case .now(.failure(let refusal)):
            throw ProblemDetails(refusal, in: request.part).with(tag: session.token.bytes)
        case .later(let held):
            held.then { [self] result in
                request.exchange.refusing(on: loop) { () throws(ProblemDetails) in
                    if case .failure(let refusal) = result, refusal.isLoss {
                        throw ProblemDetails(refusal)
                    }
                    try answer(.now(result), to: request, of: session, on: loop)
                }
            }
        }
    }

    // MARK: Effects

    /// Answers, or has the request wait for the effects of its actions.
    private func answer(
        _ decision: Decision, to request: ActionRequest, of session: Session,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        guard let duration = request.settle else {
            return try respond(decision, to: request, of: session, on: loop)
        }
        guard !isSettled(decision, session), session.waiterCount < limits.waiterCount else {
            return try respond(decision, to: request, of: session, isSettled: true, on: loop)
        }
        let held = Held(request.exchange, for: duration, on: loop) { [self] held, _ in
            endSettling(of: session, isSettled: false, on: loop) { $0.held === held }
        }
        session.settlingCount += 1
        settling[ObjectIdentifier(session), default: []].append((decision, request, held))
    }

    private func isSettled(_ decision: Decision, _ session: Session) -> Bool {
        decision.roots.flatMap { session.actions?.isSettled($0) } ?? true
    }

    /// Answers the requests whose effects have all ended; all, where the session is no more.
    func answerSettled(of session: Session, isOver: Bool = false, on loop: isolated EventLoop) {
        guard session.settlingCount > 0 else { return }
        endSettling(of: session, isSettled: !isOver, on: loop) {
            isOver || isSettled($0.decision, session)
        }
    }

    /// Ends the waiting of some requests, and answers with the version that is reached by now.
    ///
    /// - Parameter isShown: false: who would have been shown the state has signed out.
    func endSettling(
        of session: Session, isSettled: Bool, isShown: Bool = true, on loop: isolated EventLoop,
        where isEnded: (SettlingRequest) -> Bool
    ) {
        let all = settling.removeValue(forKey: ObjectIdentifier(session)) ?? []
        let (ended, rest) = (all.filter(isEnded), all.filter { !isEnded($0) })
        if !rest.isEmpty { settling[ObjectIdentifier(session)] = rest }
        session.settlingCount = Int32(rest.count)
        for (_, _, held) in ended { held.end(on: loop) }
        for (decision, var request, _) in ended {
            if !isShown { request.viewer = nil }
            request.exchange.refusing(on: loop) { () throws(ProblemDetails) in
                try respond(decision, to: request, of: session, isSettled: isSettled, on: loop)
            }
        }
    }

    // MARK: Writing

    /// Writes an answer.
    ///
    /// - Parameter isSettled: tells whether the effects have ended, where the client wants to know.
    private func respond(
        _ decision: Decision, to request: ActionRequest, of session: Session,
        isSettled: Bool? = nil, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        var decision = decision
        if isSettled != nil { decision.version = session.version }
        let status = decision.isDelayed ? 202 : 200
        if let viewer = request.viewer {
            let shown = session.projections.find(nil, for: Viewer(viewer))
            // Who may not see the state is told the outcome: the actions were taken.
            if let json = try session.json(of: shown) {
                let tag = session.tag(shown)
                return request.exchange.respond(status: status, body: json, on: loop) { writer in
                    writer.field("Content-Type", "application/json")
                    writer.field("Preference-Applied", "return=representation")
                    writer.field("Cache-Control", "no-store")
                    if decision.isRepeated { writer.field("Idempotency-Replayed", "true") }
                    writer.entityTag(tag)
                }
            }
        }
        let epoch = session.epoch
        // Taken out while it is written, so that no access to it is open meanwhile.
        var body: [UInt8] = []
        swap(&body, &scratch)
        body.removeAll(keepingCapacity: true)
        let token = decision.write(epoch: epoch, isSettled: isSettled, to: &body)
        request.exchange.respond(status: status, .nothing, on: loop) { writer in
            writer.lines(Self.startLines)
            writer.bytes.append(contentsOf: body[token])
            writer.lines(decision.isRepeated ? Self.replayedLines : Self.etagEnd)
            writer.body(body)
        }
        swap(&body, &scratch)
    }

    private static let startLines = Array(
        "Content-Type: application/json\r\nCache-Control: no-store\r\nETag: \"".utf8)
    private static let etagEnd = Array("\"\r\n".utf8)
    private static let replayedLines = Array("\"\r\nIdempotency-Replayed: true\r\n".utf8)
}

extension Decision {
    /// Appends what posted actions have come to, `{"version":43,"token":"k3f9-43","changed":true}`, and
    /// what else there is to say.
    ///
    /// - Returns: the place of the token in `output`.
    @discardableResult
    func write(epoch: String, isSettled: Bool?, to output: inout [UInt8]) -> Range<Int> {
        output.append(copying: "{\"version\":")
        output.append(decimal: version)
        output.append(copying: ",\"token\":\"")
        let tokenStart = output.count
        Token.append(epoch, version, to: &output)
        let token = tokenStart..<output.count
        output.append(copying: changed ? "\",\"changed\":true" : "\",\"changed\":false")
        if isDropped { output.append(contentsOf: ",\"dropped\":true".utf8) }
        if isDelayed { output.append(contentsOf: ",\"delayed\":true".utf8) }
        if let isSettled {
            output.append(
                contentsOf: (isSettled ? ",\"settled\":true" : ",\"settled\":false").utf8)
        }
        if let results {
            output.append(contentsOf: ",\"results\":[".utf8)
            for (index, result) in results.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.write(result, to: &output)
            }
            output.append(UInt8(ascii: "]"))
        }
        output.append(UInt8(ascii: "}"))
        return token
    }

    /// Appends `{"version":43,"changed":true}`, or that there is no entry.
    private static func write(_ result: Outcome, to output: inout [UInt8]) {
        switch result {
        case .accepted(_, let last, let changed):
            output.append(contentsOf: "{\"version\":".utf8)
            output.append(decimal: last)
            output.append(contentsOf: ",\"changed\":\(changed)}".utf8)
        case .delayed: output.append(contentsOf: "{\"changed\":false,\"delayed\":true}".utf8)
        default: output.append(contentsOf: "{\"changed\":false,\"dropped\":true}".utf8)
        }
    }
}

import Bytes
import HTTPMessages
import HTTPServer
import HTTPTypes
import Journaling
import Redux
import Sessions
import Sockets

/// `M/sessions`, and `M/sessions/{id}` with all that is below: finds the session that a request is
/// about, opens it where it is not here, and hands the request to the resource.
extension Router {
    /// Answers a request about one session.
    func handle(
        _ request: SessionRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        if request.resource == .revert {
            if peers != nil, try relayBeforeReverting(request, in: bytes, on: loop) { return }
            return try revert(request, in: bytes, on: loop)
        }
        let id = bytes.extracting(request.plan.name.range)
        if let session = registry.tables[request.mount].find(id, request.plan.hash) {
            return try handle(request, of: session, in: bytes, isSettled: false, on: loop)
        }
        if peers != nil, try relayToKnown(request, in: bytes, on: loop) { return }
        guard let id = SessionID(request.plan.name.string(in: bytes)) else { throw .badSessionID }
        if request.exchange.isInner, registry.isLeft(id, mount: request.mount) {
            return request.exchange.respond(.misdirectedRequest, on: loop) { _ in }
        }
        try open(id, for: request, in: bytes, on: loop)
    }

    /// Answers a request about a session that is here.
    ///
    /// - Parameter isSettled: the journal was asked what it has kept of the session, or does not say in
    ///   time: what it last told counts, of a session that no other server can have.
    private func handle(
        _ request: SessionRequest, of session: Session, in bytes: Span<UInt8>,
        isSettled: Bool, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        // An action that appends nothing is answered by what is known here, as a reading is.
        if context.isShared {
            if registry.isLeaving(session) {
                return try goOn(request, session.id, nil, in: bytes, on: loop)
            }
            if try !registry.shows(session, on: loop) {
                return try open(session.id, for: request, in: bytes, on: loop)
            }
            // What was told last does not count where another server may have told more.
            guard !isSettled || !session.isInDoubt else { throw ProblemDetails(.unavailable) }
        }
        registry.performer.noteUse(of: session, at: loop.now)
        // What comes behind a request that waits for the keys waits as well.
        if session.lacksKeys, !isSettled || !request.head.method.isSafe,
            request.head.has(.idempotencyKey) || registry.isOpening(session)
        {
            let outcome = registry.fetchKeys(of: session, on: loop)
            return try goOn(request, session.id, outcome, in: bytes, on: loop)
        }
        if session.isInDoubt, !isSettled {
            let outcome = registry.reopen(session, on: loop)
            return try goOn(request, session.id, outcome, in: bytes, on: loop)
        }
        switch request.resource {
        case .actions where request.exchange.isOfServer:
            return try takeDispatch(request, session, in: bytes, on: loop)
        case .actions: return try submit(request, to: session, in: bytes, on: loop)
        case .state where request.exchange.isOfServer:
            return try showToHandle(request, session, in: bytes, on: loop)
        case .state where request.head.method == .put:
            try submit(request, to: session, in: bytes, on: loop)
        case .state: try getState(request, of: session, in: bytes, on: loop)
        case .events where request.exchange.isOfServer:
            try showToServer(request, session, in: bytes, on: loop)
        case .events: try openEvents(request, on: session, in: bytes, on: loop)
        case .log: try getLog(request, of: session, in: bytes, on: loop)
        case .recording: try getRecording(request, of: session, in: bytes, on: loop)
        case .forget: try forget(request, of: session, in: bytes, on: loop)
        case .revert: answerReverted(request, session, on: loop)
        case .move: try move(request, session, in: bytes, on: loop)
        case .replay: try handleReplay(request, of: session, in: bytes, on: loop)
        case .description: try handleDescription(request, of: session, in: bytes, on: loop)
        default: throw .notFound
        }
        request.exchange.charge(gate.client(of: request, in: bytes))
    }

    /// Opens the session that a request is about, and goes on with the request: at once, or when
    /// the journal has answered. `POST M/sessions` makes one with an id that cannot be guessed.
    func open(
        _ id: SessionID, for request: SessionRequest, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let start = request.makes ? start(of: request, in: bytes) : nil
        let outcome = registry.open(id, mount: request.mount, making: start, on: loop)
        try goOn(request, id, outcome, in: bytes, on: loop)
    }

    /// Goes on with a request: now, or with nil once the journal has answered.
    func goOn(
        _ request: SessionRequest, _ id: SessionID, _ outcome: SessionOpening?,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        if let outcome { return try take(outcome, request, id, in: bytes, on: loop) }
        // What one that is made begins with is read already.
        let length = request.resource == .sessions ? 0 : request.body.upperBound
        let message = SharedBytes(copying: bytes.extracting(..<length)).bytes
        let name = registry.name(id, mount: request.mount)
        try registry.wait(for: name, message.count, on: loop) { [self] outcome in
            request.exchange.refusing(on: loop) { () throws(ProblemDetails) in
                // What is made, or reverted, is so whoever may do that by now.
                var isDone = [.sessions, .revert].contains(request.resource)
                if case .here(_, isNew: true) = outcome { isDone = isDone || request.isPut }
                let request = try isDone ? request : askedAgain(request, in: message.span)
                try take(outcome, request, id, in: message.span, on: loop)
            }
        }
    }

    /// What takes milliseconds may begin now. If not, the request waits for its turn, and is judged then.
    func mayBegin(
        _ request: SessionRequest, of session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) -> Bool {
        // Of one in doubt the journal was asked for this request, and would be again.
        if session.isInDoubt || costly.begins() { return true }
        let client = gate.client(of: request, in: bytes)
        guard costly.hasRoom(for: client, context.limits) else { throw .tooManyWaiting }
        let (head, length) = (request.head, request.head.byteCount)
        let message = [UInt8](copying: bytes.extracting(..<length))
        costly.wait(
            for: request.exchange, of: client, route(head, request.plan, in: bytes), on: loop
        ) { [self] isWanted in
            guard isWanted else { return }
            request.exchange.refusing(on: loop) { () throws(ProblemDetails) in
                var request = try askedAgain(request, in: message.span)
                request.body = length..<length
                try handle(request, in: message.span, on: loop)
            }
        }
        return false
    }

    /// Less is shown in a fraction of a millisecond, compressed or not.
    private static var costlyByteCount: Int { 64 << 10 }

    /// The same for what shows a projection: where it is large, or has to be made of a large state.
    func mayShow(
        _ projection: Projection, of session: Session, to request: SessionRequest,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) -> Bool {
        let byteCount =
            session.isMade(projection) ? projection.byteCount ?? 0 : session.stateByteCount()
        if byteCount < Self.costlyByteCount { return true }
        return try mayBegin(request, of: session, in: bytes, on: loop)
    }

    /// A request that has waited, by whoever sends it now: they may have signed out meanwhile. The ticket of
    /// a stream is used by then.
    func askedAgain(
        _ request: SessionRequest, in bytes: Span<UInt8>
    ) throws(ProblemDetails) -> SessionRequest {
        guard !request.exchange.isOfServer else { return request }
        var request = request
        let caller = try gate.caller(
            of: request.head, in: bytes, request.plan, nil, from: request.exchange.remoteAddress,
            asked: request.resource == .events ? .openStream : .request)
        // One that is used shows nobody else what it showed.
        if request.resource == .events, caller.known?.id != request.caller.known?.id {
            throw .unauthenticated
        }
        request.caller = caller
        return request
    }

    private func take(
        _ outcome: SessionOpening, _ request: SessionRequest, _ id: SessionID,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        if case .failed(.busy) = outcome, request.head.method.isSafe,
            let session = registry.find(id, mount: request.mount), session.isInDoubt
        {
            return try handle(request, of: session, in: bytes, isSettled: true, on: loop)
        }
        switch outcome {
        case .here(let session, _) where request.resource == .sessions:
            registry.describe(session, .created, to: request, on: loop)
        case .settled(let session)
        where session.isEnded
            && !registry.lives.hasEnded(registry.name(of: session), at: loop.now):
            // Another server has it.
            try open(id, for: request, in: bytes, on: loop)
        case .here(let session, _) where session.isEnded,
            .settled(let session) where session.isEnded:
            throw registry.whatEnded(session, at: loop.now)
        case .here(let session, let isNew) where isNew && request.isPut:
            registry.describe(session, .created, to: request, on: loop)
        case .here(let session, _):
            try handle(request, of: session, in: bytes, isSettled: false, on: loop)
        case .settled(let session):
            try handle(request, of: session, in: bytes, isSettled: true, on: loop)
        case .absent
        where registry.lives.hasEnded(registry.name(id, mount: request.mount), at: loop.now):
            // Another request that has waited, too, has ended it.
            throw .sessionEnded
        case .absent
        where request.resource != .sessions && (request.makes || isAround(id, request)),
            .asleep:
            // Another request has asked for the session, and that did not make it; or it has waited, too,
            // and makes it.
            try open(id, for: request, in: bytes, on: loop)
        case .absent where request.isPut: throw .nothingToMatch
        case .absent:
            // DELETE has the application forget the id all the same: a session that was may have
            // left something.
            guard request.isDelete else { throw .sessionNotFound }
            let exchange = request.exchange
            try registry.forget(id, request.mount, on: loop) { isForgotten in
                if isForgotten {
                    exchange.respond(.sessionNotFound, on: loop)
                } else {
                    exchange.respond(.accepted, on: loop) { _ in }
                }
            }
        case .refused(let refusal): throw ProblemDetails(refusal, in: nil)
        case .failed(.sessionMoved) where peers != nil && request.resource != .sessions:
            if try relayToKnown(request, in: bytes, on: loop) { return }
            try relay(request, id, in: bytes, on: loop)
        case .failed(let problem)
        where problem.isUnreadable && peers != nil && !request.exchange.isInner
            && request.triesCount == 0 && request.resource != .sessions:
            // Another server may read it, and has opened it meanwhile.
            try relay(request, id, in: bytes, on: loop)
        case .failed(let problem) where problem.isUnreadable && request.exchange.isInner:
            // Whoever has sent it opens the session: another build may read it.
            request.exchange.respond(.misdirectedRequest, on: loop) { _ in }
        case .failed(let problem) where isOfPast(request, in: bytes, without: problem):
            try getPast(request, of: id, problem, in: bytes, on: loop)
        case .failed(let problem) where problem.isUnreadable && request.isDelete:
            let exchange = request.exchange
            try registry.end(id, request.mount, on: loop) { isForgotten in
                exchange.respond(isForgotten ? .noContent : .accepted, on: loop) { _ in }
            }
        case .failed(let problem): throw problem
        }
    }

    /// A session is here, or something happens to it.
    private func isAround(_ id: SessionID, _ request: SessionRequest) -> Bool {
        registry.find(id, mount: request.mount) != nil
            || registry.lives.stage(of: registry.name(id, mount: request.mount)) != nil
    }

    /// There is no session of this id, as far as that is known without waiting.
    func isAbsent(
        _ id: Slice, _ hash: UInt64, mount: Int, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) -> Bool {
        let characters = bytes.extracting(id.range)
        guard registry.tables[mount].find(characters, hash) == nil else { return false }
        guard let id = SessionID(id.string(in: bytes)) else { return true }
        if registry.server(for: registry.name(id, mount: mount)) != nil { return false }
        switch registry.open(id, mount: mount, on: loop) {
        case .here, .settled, .asleep, nil: return false
        case .failed(.sessionMoved) where peers != nil: return false
        case .absent, .refused, .failed: return true
        }
    }

    // MARK: Makers

    /// The session that a request has made.
    private func start(of request: SessionRequest, in bytes: Span<UInt8>) -> SessionStart {
        SessionStart(
            maker: gate.client(of: request, in: bytes), by: request.principal,
            json: [UInt8](copying: bytes.extracting(request.body)))
    }
}

/// A request, who sends it, and what its path names.
struct SessionRequest {
    let head: RequestHead
    fileprivate(set) var body: Range<Int>
    var exchange: Exchange
    fileprivate(set) var caller: Caller
    /// Other servers were asked in vain so often.
    var triesCount = 0
    /// What is shown here of another server's session is as new as it has to be.
    var isAdmitted = false
    let plan: RequestPlan
    let resource: RequestedResource

    // Not inlined: the head would be copied twice more.
    @inline(never)
    init(_ request: InboundRequest, by caller: Caller) {
        head = request.head
        body = request.body
        plan = request.plan
        resource = plan.resource
        exchange = request.exchange
        self.caller = caller
    }

    var principal: Principal { if let known = caller.known { known } else { .anonymous } }
    /// The number of the application, or of the own route.
    var mount: Int { Int(plan.place) }

    fileprivate var isDelete: Bool { resource == .description && head.method == .delete }
    fileprivate var isPut: Bool { resource == .description && head.method == .put }
    /// The session is made where there is none.
    fileprivate var makes: Bool {
        resource == .sessions || isPut && head.value(.ifMatch) == nil
    }
}

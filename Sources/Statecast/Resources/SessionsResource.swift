import HTTPMessages
import HTTPServer
import HTTPTypes
import Redux
import Sessions
import Sockets

/// `M/sessions`, and `M/sessions/{id}` with all that is below: finds the session that a request is
/// about, opens it where it is not here, and hands the request to the resource.
struct SessionsResource {
    /// A request that makes a session of no given id.
    struct Making {
        let head: RequestHead
        let body: Range<Int>
        let caller: Caller
        let mount: Int
        let exchange: Exchange
    }

    let registry: SessionRegistry
    let makers: SessionMakers
    let actions: ActionsResource
    let state: StateResource
    let events: EventsResource
    let description: DescriptionResource
    let replacement: StateReplacement
    let log: LogResource
    let recording: RecordingResource
    let replay: ReplayResource

    // MARK: One session

    /// Answers a request about one session.
    func handle(
        _ request: SessionRequest, _ resource: RequestedResource.SessionResource,
        in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let id = bytes.extracting(request.id.range)
        if let session = registry.find(id, request.hash, mount: request.mount) {
            return try handle(request, resource, of: session, in: bytes, on: loop)
        }
        if resource == .description { try description.checkPut(request.head, in: bytes) }
        guard let id = SessionID(request.id.string(in: bytes)) else {
            throw .badSessionID
        }
        guard !registry.hasEnded(id, mount: request.mount) else {
            throw .sessionEnded
        }
        try open(id, for: request, resource, in: bytes, on: loop)
    }

    /// Answers a request about a session that is here.
    private func handle(
        _ request: SessionRequest, _ resource: RequestedResource.SessionResource,
        of session: Session,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        registry.noteUse(of: session, at: loop.now)
        switch resource {
        case .actions: try actions.post(request, to: session, in: bytes, on: loop)
        case .state where request.head.method == .put:
            try description.checkPut(request.head, in: bytes)
            try replacement.put(request, to: session, in: bytes, on: loop)
        case .state: try state.get(request, of: session, in: bytes, on: loop)
        case .events: try events.open(request, on: session, in: bytes, on: loop)
        case .log: try log.get(request, of: session, in: bytes, on: loop)
        case .recording: try recording.get(request, of: session, in: bytes, on: loop)
        case .replay: try replay.handle(request, of: session, in: bytes, on: loop)
        case .description:
            try description.checkPut(request.head, in: bytes)
            try description.handle(request, of: session, in: bytes, on: loop)
        case .unknown: throw .notFound
        }
    }

    /// Opens the session that a request is about, and goes on with the request: at once, or when
    /// the journal has answered.
    private func open(
        _ id: SessionID, for request: SessionRequest, _ resource: RequestedResource.SessionResource,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let makes =
            resource == .description && request.head.method == .put
            && request.head.value(.ifMatch) == nil
        let mount = request.mount
        let start =
            makes
            ? makers.start(
                of: request.head, by: request.principal, request.exchange, request.body, in: bytes)
            : nil
        if let opening = registry.open(id, mount: mount, making: start, on: loop) {
            return try goOn(request, resource, opening, in: bytes, on: loop)
        }
        let message = SharedBytes(copying: bytes.extracting(..<request.body.upperBound)).bytes
        try registry.wait(for: id, mount: mount, message.count, on: loop) { opening in
            request.exchange.refusing(on: loop) { () throws(ProblemDetails) in
                try goOn(request, resource, opening, in: message.span, on: loop)
            }
        }
    }

    private func goOn(
        _ request: SessionRequest, _ resource: RequestedResource.SessionResource,
        _ opening: SessionOpening,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let isPut = resource == .description && request.head.method == .put
        switch opening {
        case .here(let session, _) where session.isEnded: throw .sessionEnded
        case .here(let session, let isNew) where isNew && isPut:
            description.describe(
                session, .created, to: .put, by: request.caller, request.exchange, on: loop)
        case .here(let session, _):
            try handle(request, resource, of: session, in: bytes, on: loop)
        case .absent where isPut && request.head.value(.ifMatch) == nil:
            // Another request has asked for the session, and that did not make it.
            guard let id = SessionID(request.id.string(in: bytes)) else {
                throw .badSessionID
            }
            try open(id, for: request, resource, in: bytes, on: loop)
        case .absent where isPut: throw .nothingToMatch
        case .absent: try answerAbsent(request, resource, in: bytes, on: loop)
        case .refused(let refusal): throw ProblemDetails(refusal)
        case .failed(let problem): throw problem
        }
    }

    /// Answers a request about a session that is not there. DELETE has the application forget the
    /// id all the same: a session that was may have left something.
    private func answerAbsent(
        _ request: SessionRequest, _ resource: RequestedResource.SessionResource,
        in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        guard resource == .description, request.head.method == .delete,
            let id = SessionID(request.id.string(in: bytes))
        else { throw .sessionNotFound }
        registry.forget(id, mount: request.mount, answering: request.exchange, on: loop)
    }

    /// There is no session of this id, as far as that is known without waiting.
    func isAbsent(
        _ id: Slice, _ hash: UInt64, mount: Int, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) -> Bool {
        let characters = bytes.extracting(id.range)
        guard registry.find(characters, hash, mount: mount) == nil else { return false }
        guard let id = SessionID(id.string(in: bytes)), !registry.hasEnded(id, mount: mount) else {
            return true
        }
        switch registry.open(id, mount: mount, on: loop) {
        case .here, nil: return false
        case .absent, .refused, .failed: return true
        }
    }

    // MARK: All sessions

    /// `POST M/sessions` makes a session with an id that cannot be guessed.
    func make(
        _ id: SessionID, for call: Making, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        if let mode = ReplayResource.mode(of: call.head, in: bytes) {
            return try replay.make(id, mode, for: call, in: bytes, on: loop)
        }
        let (mount, exchange, caller) = (call.mount, call.exchange, call.caller)
        let start = makers.start(
            of: call.head, by: caller.principal, exchange, call.body, in: bytes)
        if let opening = registry.open(id, mount: mount, making: start, on: loop) {
            return try answerMade(opening, by: caller, exchange, on: loop)
        }
        try registry.wait(for: id, mount: mount, 0, on: loop) { opening in
            exchange.refusing(on: loop) { () throws(ProblemDetails) in
                try answerMade(opening, by: caller, exchange, on: loop)
            }
        }
    }

    private func answerMade(
        _ opening: SessionOpening, by caller: Caller, _ exchange: Exchange,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        switch opening {
        case .here(let session, _):
            description.describe(
                session, .created, to: .post, by: caller, exchange, on: loop)
        case .absent: throw .sessionNotFound
        case .refused(let refusal): throw ProblemDetails(refusal)
        case .failed(let problem): throw problem
        }
    }
}

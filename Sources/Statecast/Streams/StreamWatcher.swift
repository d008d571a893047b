import Bytes
import HTTPServer
import Redux
import Sessions
import Sockets
import StateCoding

/// One stream that watches a projection of a session.
///
/// A server has very many of these: the order of the fields leaves no gaps.
final class StreamWatcher: StreamSource {
    /// Watchers of one kind are sent the same.
    struct Kind: Hashable {
        /// Of each change the patch that leads to the new value, or a snapshot (`?patch=json-patch`);
        /// else the new value.
        let hasPatches: Bool
        /// `application/x-ndjson`; else `text/event-stream`.
        let isLines: Bool
        /// So many milliseconds lie between two values at least (`?throttle=250`); 0: none need.
        var throttle: UInt16 = 0
    }

    let session: Session
    /// The one who watches.
    private(set) var principal: Principal
    private(set) var projection: Projection
    var stream: OutgoingStream?
    /// Tells the application that the principal watches; nil where it does not ask, or was told.
    var facts: SessionFacts?
    /// Asks access control about the principal again and again; nil where nothing asks.
    var check: StreamCheck?
    /// The version at which the client was shown its value; nil where it has none to go on from.
    var shown: UInt64? { lastShown }
    let kind: Kind
    /// The stream ends where its part leaves the state.
    private let endsOutOfScope: Bool
    private(set) var isClosed = false
    /// The client, where it has selected what it watches; 0: it has not.
    let chooser: Accounts.Client
    /// The selected part, where it was not there when the stream began.
    let absent: JSONPointer?
    /// A change was passed over because the client is slow, or its time has not come; the newest state
    /// follows.
    private(set) var isStale = false
    /// Nil where each change is sent at once.
    private var pace: StreamPace?
    // Stored for this file alone, so that the run time need not check each access.
    private var lastShown: UInt64?
    private var isUnsent = true
    /// The client was sent nothing yet of its projection, with which it began or to which it was moved.
    var isNew: Bool { isUnsent }
    /// Another server shows it to its clients, and keeps patches.
    var isOfServer = false
    /// Its place among the watchers of its projection.
    var index = 0

    init(
        session: Session, projection: Projection, by principal: Principal, _ kind: Kind,
        endsOutOfScope: Bool, of chooser: Accounts.Client, absent: JSONPointer?
    ) {
        self.session = session
        self.principal = principal
        self.projection = projection
        self.kind = kind
        self.endsOutOfScope = endsOutOfScope
        self.chooser = chooser
        self.absent = absent
    }

    /// Something sent now would not wait behind a state that the client has no room for.
    var hasRoom: Bool { !(stream?.isBlocked ?? true) }

    /// The client was not sent what its projection shows: it must not learn the version of that, which it
    /// would name as one that it has.
    var isBehind: Bool { isStale || isNew }

    /// Another principal watches from now on.
    func become(_ principal: Principal) {
        self.principal = principal
    }

    /// The clients among which it is; nil once it is none of them any more.
    var audience: Audience? {
        guard let audience = Audience.known(of: projection), audience.contains(self) else {
            return nil
        }
        return audience
    }

    /// The client watches another projection, which it is sent next.
    func begin(with projection: Projection) {
        self.projection = projection
        isUnsent = true
        lastShown = nil
    }

    /// The client has what the projection showed at a version; nil: nothing to go on from.
    func setShown(_ version: UInt64?) { lastShown = version }

    // MARK: Sending

    /// Has values follow each other as slowly as the client wishes.
    ///
    /// - Parameter most: a client is slow behind whom more bytes wait.
    func beginPace(waitingBehind most: Int) {
        if kind.throttle > 0 { pace = StreamPace(of: self, waitingBehind: most) }
    }

    /// Sends a change, or remembers that it was passed over: more than `most` bytes wait, or it comes too
    /// soon after another one. A client that was sent it before its turn has it.
    ///
    /// - Parameters:
    ///   - version: the session's.
    ///   - isInScope: there is something to show.
    func sendChange(
        at version: UInt64, isInScope: Bool, _ frame: () -> StreamFrame, waitingBehind most: Int,
        on loop: isolated EventLoop
    ) {
        isUnsent = false
        guard lastShown != version || isStale else { return }
        guard pace?.isDue(on: loop) ?? true else { return isStale = true }
        switch stream?.offer(waitingBehind: most, frame, on: loop) {
        case .taken:
            isStale = false
            note(version, isInScope: isInScope, on: loop)
        case .skipped: isStale = true
        case .over, nil: break
        }
    }

    /// Sends the projection as it is now, or that it is out of scope.
    func sendState(on loop: isolated EventLoop) {
        guard stream != nil else { return }
        isUnsent = false
        stream?.send(Audience.of(projection).frame(for: self), on: loop)
        note(session.version, isInScope: projection.byteCount != nil, on: loop)
    }

    /// The projection is made, also one that the client was moved to. A session that is frozen makes none:
    /// what its streams show stays as it was.
    private func isMade() -> Bool {
        guard !session.isEnded else { return false }
        return (try? session.isInScope(projection)) != nil
    }

    /// Sends the projection that the client was moved to; a slow client is sent it once all that waits
    /// has gone.
    func sendContent(waitingBehind most: Int, on loop: isolated EventLoop) {
        isUnsent = false
        guard isMade() else { return }
        sendChange(
            at: session.version, isInScope: projection.byteCount != nil,
            { Audience.of(projection).frame(for: self) },
            waitingBehind: most, on: loop)
    }

    /// Sends the value that waits for its time: the stream is about to end.
    func hurry(waitingBehind most: Int, on loop: isolated EventLoop) {
        guard isBehind else { return }
        pace?.end(on: loop)
        pace = nil
        sendContent(waitingBehind: most, on: loop)
    }

    /// As above, or its id alone where the client has the same JSON already.
    func sendContent(
        insteadOf shown: SharedBytes?, waitingBehind most: Int, on loop: isolated EventLoop
    ) {
        guard isMade(), !isStale, projection.json?.bytes == shown?.bytes else {
            return sendContent(waitingBehind: most, on: loop)
        }
        sendID(on: loop)
        note(session.version, isInScope: projection.byteCount != nil, on: loop)
    }

    /// The client was sent this.
    private func note(_ version: UInt64, isInScope: Bool, on loop: isolated EventLoop) {
        pace?.sent(at: loop.now)
        lastShown = isInScope ? version : nil
        if endsOutOfScope, !isInScope { stream?.finish(on: loop) }
    }

    /// Sends a client on from a version by operations, which may be none.
    func sendOperations(_ operations: [UInt8], from version: UInt64, on loop: isolated EventLoop) {
        isUnsent = false
        send(operations.isEmpty ? .version : .patch(operations, from: version), on: loop)
        note(session.version, isInScope: true, on: loop)
    }

    /// Sends the version alone: the client knows the state.
    func sendID(on loop: isolated EventLoop) {
        isUnsent = false
        send(.version, on: loop)
    }

    private func send(_ event: StreamEvent, on loop: isolated EventLoop) {
        stream?.send(event.frame(session.tag(projection), session.version, kind), on: loop)
    }

    /// Sends one that is shown nothing yet the state as of its last change, and then the version: so it knows
    /// both. One that was shown something goes on from there.
    func sendFromLastChange(on loop: isolated EventLoop) {
        guard lastShown == nil, let value = projection.value else { return sendState(on: loop) }
        let (store, version) = (session.store, session.store.lastChange)
        let event = StreamEvent.snapshot(value, isOfView: false, schema: store.schemaVersion)
        stream?.send(
            event.frame(session.tag(projection, at: version), version, kind), on: loop)
        sendID(on: loop)
        note(session.version, isInScope: true, on: loop)
    }

    /// Has a client come again soon, and not all at one moment.
    static var soonAgain: StreamFrame { StreamEvent.retry(milliseconds: .random(in: 20...500)) }

    /// Ends the stream with an event that says why; or nil: its client comes again soon.
    func end(_ reason: String?, on loop: isolated EventLoop) {
        let tag = isBehind || session.isLate(projection) ? [] : session.tag(projection)
        if let reason {
            stream?.send(StreamEvent.control(reason).frame(tag, session.version, kind), on: loop)
        } else if !kind.isLines {
            stream?.send(Self.soonAgain, on: loop)
        }
        stream?.finish(on: loop)
    }

    // MARK: The stream

    func streamDrained(on loop: isolated EventLoop) {
        guard isStale, pace?.isDue(on: loop) ?? true, isMade() else { return }
        isStale = false
        sendState(on: loop)
    }

    func streamClosed(on loop: isolated EventLoop) {
        isClosed = true
        pace?.end(on: loop)
        facts?.left(self, at: loop.now)
        check?.end(on: loop)
        guard let audience else { return }
        audience.remember(self)
        audience.remove(self)
        session.add(watchers: -1, to: projection)
    }
}

/// The instants at which a stream may be sent a value that is to be sent the newest one so often at most.
///
/// They stand on a grid of eighths: the streams that ask alike come together, and share what is made.
final class StreamPace: TimerHandler {
    private unowned let watcher: StreamWatcher
    private let mostByteCount: Int
    private let (pause, step): (Int64, Int64)
    private var next = Instant(nanoseconds: 0)
    private var timer: Timer?

    init(of watcher: StreamWatcher, waitingBehind most: Int) {
        self.watcher = watcher
        mostByteCount = most
        pause = Int64(watcher.kind.throttle) * 1_000_000
        step = pause / 8
    }

    /// A value may be sent; where not, the newest one is sent once it may.
    func isDue(on loop: isolated EventLoop) -> Bool {
        if loop.now >= next { return true }
        if timer == nil { timer = loop.schedule(at: next, self) }
        return false
    }

    /// A value was sent.
    func sent(at now: Instant) {
        next = Instant(nanoseconds: (now.nanoseconds + step - 1) / step * step + pause)
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        let due = next
        self.timer = nil
        guard watcher.isStale else { return }
        watcher.sendContent(waitingBehind: mostByteCount, on: loop)
        // A timer comes a little late: the next one does not come later still.
        if next > due, loop.now < due.advanced(byNanoseconds: step) {
            next = due.advanced(byNanoseconds: pause)
        }
    }

    /// The stream is over.
    func end(on loop: isolated EventLoop) {
        if let timer { loop.cancel(timer) }
    }
}

import Bytes
internal import CPostgreSQL
import Glibc
import Threads

/// One connection, and what it is asked for: requests go out one behind the other, without waiting for
/// the answers, each a transaction of its own.
///
/// Safety: the handle is made and ended here, reached by the one thread that has this object, and nil
/// where there is none; libpq's texts are copied before the next call, and results have owners of their own.
@safe final class DatabaseConnection {
    private enum Phase {
        /// Nothing is tried before an instant.
        case down(until: Instant)
        /// The first request is under way.
        case greeting
        case up
    }

    private struct UnderWay {
        let answered: @Sendable (Reply) -> Void
        /// The name of the statement that is prepared, or nil for one that is called.
        var steps: [String?] = []
        var rows: [[ResultRow]] = []
        var doneCount = 0
        var failure: DatabaseFailure?
    }

    private static let depth = 16
    /// The pauses between tries double, up to a second.
    private static let (firstPause, longestPause) = (Duration.milliseconds(16), Duration.seconds(1))
    /// So many former processes at the other end are remembered.
    private static let backendCount = 16

    private let lane: any DatabaseLane
    private let address: String
    private var handle: OpaquePointer?
    private var phase = Phase.down(until: .read())
    private var waiting: [Request] = []
    private var underWay: [UnderWay] = []
    /// The first of those has been that since then.
    private var progress = Instant.read()
    private var prepared: Set<String> = []
    private var isFlushed = true
    private var pause = firstPause
    /// The processes at the other end, so far.
    private var backends: [Int64] = []
    /// A commit was not waited for until the standby had it.
    private let isUnreplicated = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
    /// Why there is no connection: nil where there is one, or was a moment ago.
    private(set) var refusal: DatabaseFailure?

    init(_ lane: any DatabaseLane, _ address: String) {
        (self.lane, self.address) = (lane, address)
        unsafe isUnreplicated.initialize(to: false)
    }

    deinit {
        unsafe handle.map { unsafe cpostgresql_finish($0) }
        unsafe isUnreplicated.deallocate()
    }

    // MARK: What the thread asks

    var isIdle: Bool { waiting.isEmpty && underWay.isEmpty }
    var isUp: Bool { if case .up = phase { true } else { false } }

    /// When something is to be done without an event. A request is given its time from when those before
    /// it are answered: the database does not begin it earlier.
    var deadline: Instant {
        if case .down(let instant) = phase { return instant }
        return underWay.isEmpty ? .never : progress.advanced(by: lane.patience)
    }

    var polled: pollfd {
        let events = Int16(POLLIN) | (isFlushed ? 0 : Int16(POLLOUT))
        let descriptor = unsafe handle.map { unsafe cpostgresql_socket($0) }
        // One that is no number of a descriptor is not looked at.
        return pollfd(fd: descriptor ?? -1, events: events, revents: 0)
    }

    func add(_ request: @escaping Request) { waiting.append(request) }

    /// Does what can be done now.
    func advance(_ now: Instant, hasEvent: Bool) {
        if case .down(let instant) = phase {
            if now >= instant { connect() } else { refuseWaiting() }
        } else {
            if hasEvent { receive() }
            if now >= deadline { lose("it does not answer") }
        }
        send()
    }

    /// Ends the connection: what is under way may be done or not.
    ///
    /// - Parameter isOver: there is no other one, and what waits is refused.
    func lose(_ reason: String, isOver: Bool = false) {
        let isLost = isUp
        if let handle = unsafe handle { unsafe cpostgresql_finish(handle) }
        unsafe handle = nil
        (prepared, isFlushed) = ([], true)
        let lost = underWay
        underWay = []
        // One that was there is back at once, or is away.
        phase = .down(until: isLost ? .read() : .read().advanced(by: pause))
        pause = isLost ? Self.firstPause : min(pause * 2, Self.longestPause)
        if !isLost || isOver { refusal = .unreachable(reason) }
        lane.changed(isUp: false)
        for lost in lost { lost.answered(.failure(.unknown)) }
        refuseWaiting()
    }

    private func refuseWaiting() {
        guard let refusal else { return }
        let refused = waiting
        waiting = []
        for request in refused { request().answered(.failure(refusal)) }
    }

    // MARK: Beginning

    private func connect() {
        guard cpostgresql_load() else { return lose("libpq is not there") }
        unsafe handle = unsafe cpostgresql_connect(address)
        unsafe isUnreplicated.pointee = false
        guard let handle = unsafe handle, unsafe cpostgresql_status(handle) == CONNECTION_OK,
            unsafe cpostgresql_begin_pipeline(handle, isUnreplicated)
        else { return lose(reason) }
        phase = .greeting
        let greeting = lane.greeting(after: backends)
        backends =
            backends.suffix(Self.backendCount - 1) + [unsafe Int64(cpostgresql_backend(handle))]
        perform { (greeting, { _ in }) }
    }

    private var reason: String {
        let text = unsafe handle.map { unsafe String(cString: cpostgresql_error($0)) } ?? ""
        return text.isEmpty
            ? "it cannot be reached"
            : text.split { $0.isNewline || $0 == "\t" }.joined(separator: "; ")
    }

    // MARK: Requests

    private func send() {
        while isUp, underWay.count < Self.depth, !waiting.isEmpty { perform(waiting.removeFirst()) }
        flush()
    }

    private func perform(_ request: Request) {
        guard let handle = unsafe handle else { return }
        let (calls, answered) = request()
        guard !calls.isEmpty else { return answered(.success([])) }
        var (sent, isSent) = (UnderWay(answered: answered), true)
        for call in calls where isSent { isSent = unsafe send(call, handle, &sent.steps) }
        if underWay.isEmpty { progress = .read() }
        underWay.append(sent)
        isFlushed = false
        if unsafe !isSent || !cpostgresql_sync(handle) { lose(reason) }
    }

    private func send(_ call: Call, _ handle: OpaquePointer, _ steps: inout [String?]) -> Bool {
        let (name, text) = (call.statement.name, call.statement.text)
        // One that is being prepared may fail with its transaction, and is then prepared again.
        let isKnown = name.isEmpty || prepared.contains(name) || steps.contains(name)
        if !isKnown {
            guard unsafe cpostgresql_prepare(handle, name, text) else { return false }
            prepared.insert(name)
            steps.append(name)
        }
        steps.append(nil)
        let (bytes, counts) = call.parameters.encoded
        return unsafe cpostgresql_send(handle, name, text, Int32(counts.count), bytes, counts)
    }

    private func flush() {
        guard let handle = unsafe handle, !isFlushed else { return }
        switch unsafe cpostgresql_flush(handle) {
        case 0: isFlushed = true
        case 1: break
        default: lose(reason)
        }
    }

    // MARK: Answers

    private func receive() {
        repeat {
            guard let handle = unsafe handle, unsafe cpostgresql_consume(handle) else {
                return lose(reason)
            }
            unsafe takeResults(handle)
        } while unsafe handle.map { unsafe cpostgresql_has_more($0) } ?? false
    }

    private func takeResults(_ handle: OpaquePointer) {
        var isBetween = false
        while !underWay.isEmpty, unsafe !cpostgresql_is_busy(handle) {
            guard let result = unsafe cpostgresql_result(handle) else {
                // One stands behind each statement's results.
                if isBetween { return }
                isBetween = true
                continue
            }
            isBetween = false
            take(unsafe DatabaseResult(result))
            if unsafe self.handle == nil { return }
        }
    }

    private func take(_ result: DatabaseResult) {
        if result.status == PGRES_PIPELINE_SYNC { return finishFirst() }
        // Behind the last step stands what the commit has to say: an error, if anything.
        let step = underWay[0].steps.dropFirst(underWay[0].doneCount).first
        underWay[0].doneCount += 1
        switch result.status {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
            if step == .some(nil) { underWay[0].rows.append(result.rows) }
        default:
            if let step = step ?? nil { prepared.remove(step) }
            if result.status == PGRES_FATAL_ERROR { underWay[0].failure = result.failure }
        }
    }

    /// The first transaction has ended, and the server has said how.
    private func finishFirst() {
        let first = underWay.removeFirst()
        progress = .read()
        var reply = first.failure.map { .failure($0) } ?? Reply.success(first.rows)
        // A statement has not been answered.
        let count = first.steps.count { $0 == nil }
        if first.failure == nil, first.rows.count < count { reply = .failure(.unknown) }
        if unsafe isUnreplicated.pointee { reply = .failure(.unknown) }
        unsafe isUnreplicated.pointee = false
        guard case .greeting = phase else { return first.answered(reply) }
        if let refusal = lane.refusal(by: reply) { return lose(refusal) }
        (phase, refusal) = (.up, nil)
        lane.changed(isUp: true)
    }
}

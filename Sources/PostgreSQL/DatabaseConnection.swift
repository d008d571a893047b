import Accounting
internal import CPostgreSQL
import Glibc
import Threads

/// One connection, and what it is asked for: requests go out one behind the other, without waiting for
/// the answers, each a transaction of its own.
///
/// Safety: the handle is made and ended here, reached by the one thread that has this object, and nil
/// where there is none; libpq's texts and values are copied before the next call.
@safe final class DatabaseConnection {
    private enum Phase {
        /// Nothing is tried before an instant.
        case down(until: Instant)
        case connecting(events: Int16)
        /// The first request is under way.
        case greeting
        case up
    }

    private struct UnderWay {
        let request: Request
        /// The name of the statement that is prepared, or nil for one that is called.
        var steps: [String?] = []
        var rows: [[ResultRow]] = []
        var doneCount = 0
        var failure: DatabaseFailure?
        let begun = Instant.read()
    }

    private static let depth = 16
    /// The pauses between tries double, up to a second.
    private static let (firstPause, longestPause) = (Duration.milliseconds(16), Duration.seconds(1))
    private static let connectDuration = Duration.seconds(5)

    private let lane: any DatabaseLane
    private let address: String
    private var handle: OpaquePointer?
    private var phase = Phase.down(until: .read())
    private var begun = Instant.read()
    private var waiting: [Request] = []
    private var underWay: [UnderWay] = []
    private var prepared: Set<String> = []
    private var isFlushed = true
    private var pause = firstPause
    private var lastReason = "the connection was lost"

    init(_ lane: any DatabaseLane, _ address: String) {
        (self.lane, self.address) = (lane, address)
    }

    deinit { unsafe handle.map { unsafe cpostgresql_finish($0) } }

    // MARK: What the thread asks

    var isIdle: Bool { waiting.isEmpty && underWay.isEmpty }
    var isUp: Bool { if case .up = phase { true } else { false } }

    /// When something is to be done without an event.
    var deadline: Instant {
        switch phase {
        case .down(let instant): instant
        case .connecting: begun.advanced(by: Self.connectDuration)
        case .greeting, .up: underWay.first?.begun.advanced(by: lane.patience) ?? .never
        }
    }

    var polled: pollfd? {
        let isWriting = isFlushed ? 0 : Int16(POLLOUT)
        let events =
            switch phase {
            case .down: Int16(0)
            case .connecting(let events): events
            case .greeting, .up: Int16(POLLIN) | isWriting
            }
        return unsafe handle.map { handle in
            pollfd(fd: unsafe cpostgresql_socket(handle), events: events, revents: 0)
        }
    }

    func add(_ request: Request) { waiting.append(request) }

    /// Does what can be done now.
    func advance(_ now: Instant, hasEvent: Bool) {
        switch phase {
        case .down(let instant):
            if now >= instant { connect(now) } else { refuseWaiting() }
        case .connecting:
            if hasEvent { goOn() } else if now >= deadline { lose("it does not answer") }
        case .greeting, .up:
            if hasEvent { receive() }
            if now >= deadline { lose("it does not answer") }
        }
        send()
    }

    /// Ends the connection: what is under way may be done or not.
    func lose(_ reason: String) {
        let isLost = isUp
        if let handle = unsafe handle { unsafe cpostgresql_finish(handle) }
        unsafe handle = nil
        (prepared, isFlushed) = ([], true)
        let lost = underWay
        underWay = []
        // One that was there is back at once, or is away.
        phase = .down(until: isLost ? .read() : .read().advanced(by: pause))
        pause = isLost ? Self.firstPause : min(pause * 2, Self.longestPause)
        lane.changed(isUp: false)
        for lost in lost { lost.request.answered(.failure(.unknown)) }
        lastReason = reason
        if !isLost { refuseWaiting() }
    }

    private func refuseWaiting() {
        let refused = waiting
        waiting = []
        for request in refused { request.answered(.failure(.unreachable(lastReason))) }
    }

    // MARK: Beginning

    private func connect(_ now: Instant) {
        begun = now
        guard cpostgresql_load() else { return lose("libpq is not there") }
        unsafe handle = unsafe cpostgresql_start(address)
        guard let handle = unsafe handle, unsafe cpostgresql_status(handle) != CONNECTION_BAD else {
            return lose(reason)
        }
        phase = .connecting(events: Int16(POLLOUT))
    }

    private var reason: String {
        let text = unsafe handle.map { unsafe String(cString: cpostgresql_error($0)) } ?? ""
        return text.isEmpty
            ? "it cannot be reached"
            : text.split { $0.isNewline || $0 == "\t" }.joined(separator: "; ")
    }

    private func goOn() {
        guard let handle = unsafe handle else { return }
        switch unsafe cpostgresql_go_on(handle) {
        case PGRES_POLLING_READING: phase = .connecting(events: Int16(POLLIN))
        case PGRES_POLLING_WRITING: phase = .connecting(events: Int16(POLLOUT))
        case PGRES_POLLING_OK where unsafe cpostgresql_begin_pipeline(handle): greet()
        default: lose(reason)
        }
    }

    private func greet() {
        phase = .greeting
        let greeting = lane.greeting
        perform(Request({ greeting }, answered: { _ in }))
    }

    // MARK: Requests

    private func send() {
        while isUp, underWay.count < Self.depth, !waiting.isEmpty { perform(waiting.removeFirst()) }
        flush()
    }

    private func perform(_ request: Request) {
        guard let handle = unsafe handle else { return }
        var sent = UnderWay(request: request)
        var isSent = true
        let calls = request.calls()
        for call in calls where isSent { isSent = unsafe send(call, handle, &sent.steps) }
        guard !calls.isEmpty else { return request.answered(.success([])) }
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
        let (bytes, counts) = call.parameters.encoded()
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
        guard let handle = unsafe handle, unsafe cpostgresql_consume(handle) else {
            return lose(reason)
        }
        var isBetween = false
        while !underWay.isEmpty, unsafe !cpostgresql_is_busy(handle) {
            guard let result = unsafe cpostgresql_result(handle) else {
                // One stands behind each statement's results.
                if isBetween { return }
                isBetween = true
                continue
            }
            isBetween = false
            unsafe take(result)
            unsafe cpostgresql_clear(result)
            if unsafe self.handle == nil { return }
        }
    }

    private func take(_ result: OpaquePointer) {
        let status = unsafe cpostgresql_result_status(result)
        if status == PGRES_PIPELINE_SYNC { return finishFirst() }
        guard let step = underWay[0].steps.dropFirst(underWay[0].doneCount).first else { return }
        underWay[0].doneCount += 1
        switch status {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
            if step == nil { underWay[0].rows.append(unsafe Self.rows(of: result)) }
        default:
            if let step { prepared.remove(step) }
            guard status == PGRES_FATAL_ERROR else { return }
            underWay[0].failure = unsafe .refused(
                code: String(cString: cpostgresql_result_error(result, Self.codeField)),
                message: String(cString: cpostgresql_result_error(result, Self.messageField)))
        }
    }

    /// `PG_DIAG_SQLSTATE` and `PG_DIAG_MESSAGE_PRIMARY`
    private static let (codeField, messageField): (Int32, Int32) = (67, 77)

    private static func rows(of result: OpaquePointer) -> [ResultRow] {
        let columnCount = unsafe cpostgresql_column_count(result)
        return unsafe (0..<cpostgresql_row_count(result)).map { row in
            ResultRow(
                values: (0..<columnCount).map { column in
                    var count: Int32 = 0
                    let start = unsafe cpostgresql_value(result, row, column, &count)
                    return unsafe start.map {
                        unsafe Array(UnsafeBufferPointer(start: $0, count: Int(count)))
                    }
                })
        }
    }

    /// The first transaction has ended, and the server has said how.
    private func finishFirst() {
        let first = underWay.removeFirst()
        let reply = first.failure.map { .failure($0) } ?? Request.Reply.success(first.rows)
        guard case .greeting = phase else { return first.request.answered(reply) }
        guard lane.welcomes(reply) else { return lose("\(reply)") }
        phase = .up
        lane.changed(isUp: true)
    }
}

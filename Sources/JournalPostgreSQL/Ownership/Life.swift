import Bytes
import JournalRows
public import Journaling
import PostgreSQL
import StateCoding
import Threads

/// This process among the servers: a row, renewed every three seconds for ten, and a lock that the
/// database gives back when the process ends. What an ended one had may be opened by others.
final class Life: DatabaseLane {
    private struct State {
        /// The row's number; nil for who has none yet, or was ended.
        var id: Int64?
        /// The row is this process's as far as its own clock says.
        var end = Instant(nanoseconds: 0)
        /// The row was made then.
        var joined = Instant(nanoseconds: 0)
        /// The greeting under way began then.
        var begun = Instant(nanoseconds: 0)
        var tickCount = 0
        var lossCount = 0
        /// What each renewal tells of this server: that it takes no requests of others, as long as it says
        /// nothing else.
        var own = LiveServer(address: "-")
        var servers: [LiveServer] = []
        var isUp = false
        /// Another row is asked for.
        var isJoining = false
        /// Nobody has heard of the row before, whose connection is its first.
        var isNew = true
    }

    private static let (duration, renewals) = (Duration.seconds(10), 3)
    /// Who is new ends nobody for so long, in which those come back who have lost their ways to the database.
    private static let newDuration = Duration.seconds(1)
    private static let waitDuration = Duration.seconds(30)

    private let state = Lock(State())
    let thread: DatabaseThread
    private let plain: PlainLane
    private let appender: Appender

    init(_ thread: DatabaseThread, schema: String, _ appender: Appender) {
        (self.thread, self.appender) = (thread, appender)
        plain = PlainLane(schema: schema, lane: .living)
    }

    /// The row's number.
    func id() throws(JournalFailure) -> Int64 {
        guard let id = state.withLock(\.id) else { throw .unavailable }
        return id
    }

    var lossCount: Int { state.withLock(\.lossCount) }

    /// What this process has may be shown: nobody has ended it. Without its lock anybody may at once, so
    /// that whoever asks now is told nothing.
    func shows(anew: Bool) -> Bool {
        state.withLock { state in
            state.id != nil && (state.isUp || !anew) && Instant.readThroughSuspension() < state.end
        }
    }

    // MARK: The lane

    /// Over before another server may end this one, whose answer the database has given up after 5 s.
    var patience: Duration { .milliseconds(5_250) }

    func greeting(after backends: [Int64]) -> [Call] {
        let found = state.withLock { state in
            state.begun = .readThroughSuspension()
            if state.id != nil { state.isNew = false }
            return state.id
        }
        guard let id = found else { return [plain.call, join] }
        return [
            plain.call, Statements.leave.once(.integer(id)),
            Statements.comeBack.once(.integer(id)),
        ]
    }

    func refusal(by reply: Reply) -> String? {
        if let refusal = plain.refusal(by: reply) { return refusal }
        guard case .success(let rows) = reply,
            note(rows.last?.first, since: state.withLock(\.begun))
        else { return "this server was ended" }
        return nil
    }

    private var join: Call {
        Statements.join.once(state.withLock(\.own).parameters + [.text(RunningBuild.id)])
    }

    /// Other servers know it as soon as the row is renewed.
    func announce(_ server: LiveServer) {
        let isOther = state.withLock { state in
            defer { state.own = server }
            (state.own.relayCount, state.own.followedCount) =
                (server.relayCount, server.followedCount)
            return state.own != server
        }
        if isOther { tick(isRenewal: true) }
    }

    /// None, where they may have changed since.
    var servers: [LiveServer] { shows(anew: false) ? state.withLock(\.servers) : [] }

    func readServers() async -> [LiveServer] {
        // While the database is away, those count that were there.
        _ = await look()
        return servers
    }

    /// Asks who is there, which is noted as the answers come: the last one counts.
    private func look(behind calls: [Call] = []) async -> Reply {
        await withCheckedContinuation { waiting in
            thread.submit { [self] in
                (
                    calls + [Statements.servers()],
                    { [self] reply in
                        if case .success(let rows) = reply, let found = rows.last {
                            let servers = found.map { LiveServer($0) }
                            state.withLock { $0.servers = servers }
                        }
                        waiting.resume(returning: reply)
                    }
                )
            }
        }
    }

    func changed(isUp: Bool) { state.withLock { $0.isUp = isUp } }

    /// - Parameter row: nil where the row was ended.
    private func note(_ row: ResultRow?, since begun: Instant) -> Bool {
        state.withLock { state in
            if state.id == nil { (state.joined, state.isNew) = (.read(), true) }
            state.id = row?.integer(0)
            if row == nil { state.lossCount += 1 }
            state.end = begun.advanced(by: Self.duration)
        }
        // Nothing is this process's any more.
        if row == nil { appender.inbox.withLock { $0.dropAll() } }
        return row != nil
    }

    /// Lets those come back who were here before the database was restarted, or another one took its place:
    /// nobody is ended until that is ten seconds ago.
    func waitForOthers() {
        let end = Instant.read().advanced(by: Self.waitDuration)
        while Instant.read() < end, let id = try? id() {
            // Where the connection is lost just then, another one asks.
            let awaited = Statements.awaited.once(.integer(id), .milliseconds(Self.newDuration))
            let rows = try? thread.wait(for: [awaited])
            let rest = rows.map { $0[0].first?.integer(0) ?? 0 } ?? 250
            guard rest > 0 else { return }
            let next = Instant.read().advanced(by: .milliseconds(min(rest, 250)))
            _ = Monitor(()).wait(until: next) { _ in nil as Void? }
        }
    }

    // MARK: Each second

    /// Renews the row, or joins anew where it was ended; ends those of the dead, and looks who is there.
    ///
    /// - Parameter endsNobody: but for whom somebody asks here.
    func tick(isRenewal: Bool = false, endsNobody: Bool = false) {
        let (id, isDue, own) = state.withLock { state in
            state.tickCount += 1
            let isTime = isRenewal || state.tickCount % Self.renewals == 0
            let isDue = state.isUp && (state.id == nil ? !state.isJoining : isTime)
            state.isJoining = state.isJoining || isDue && state.id == nil
            return (state.isUp ? state.id : nil, isDue, state.own)
        }
        let begun = Instant.readThroughSuspension()
        if isDue {
            // By itself: what holds up the rest does not end this server.
            let renewal = id.map { Statements.renew(own.parameters + [.integer($0)]) } ?? join
            // A greeting may come before it, and has joined or renewed by then.
            thread.submit { [self] in
                (
                    state.withLock(\.id) == id ? [renewal] : [],
                    { [self] reply in
                        if id == nil { state.withLock { $0.isJoining = false } }
                        guard case .success(let rows) = reply, let found = rows.last else { return }
                        _ = note(found.first, since: begun)
                    }
                )
            }
        }
        if id != nil, !endsNobody { Task { await endDead() } }
    }

    /// Ends the rows of those who are dead by now, or as soon as their time is over, and looks who is there.
    func endDead(round: Int = 0) async {
        let (joined, isNew) = state.withLock { ($0.joined, $0.isNew) }
        let grace = Parameter.milliseconds(isNew ? Self.newDuration : Self.duration)
        guard let id = try? id(),
            case .success(let rows) = await look(behind: [Statements.endDead(.integer(id), grace)])
        else { return }
        let found = rows[0].map { $0.number(0) }
        let rest = Instant.read().duration(to: joined.advanced(by: Self.newDuration))
        let pause: Duration
        if found.contains(-1), isNew, rest > .zero {
            pause = rest + .milliseconds(50)
        } else if found.contains(0) {
            // Who has lost its connection has a moment to hear of it.
            pause = .milliseconds(500)
        } else {
            return
        }
        guard round < 2 else { return }
        try? await ContinuousClock().sleep(for: pause)
        await endDead(round: round + 1)
    }
}

extension Parameter {
    fileprivate static func milliseconds(_ duration: Duration) -> Parameter {
        .integer(duration.nanoseconds / 1_000_000)
    }
}

extension LiveServer {
    init(_ row: ResultRow) {
        self.init(
            address: row.text(0), share: Double(row.number(1)) / 1_000,
            isDraining: row.number(2) == 1, relayCount: Int(row.number(3)),
            followedCount: Int(row.number(4)))
        let json = row.bytes(5) ?? []
        let members = (try? JSONValue(parsing: json.span))?.members ?? []
        for (mount, schema) in members { schemas[mount] = schema.integer }
    }

    /// As `Statements.renew` has them.
    var parameters: [Parameter] {
        let json = JSONWriter.object { writer in
            for (mount, schema) in schemas { writer.member(mount, schema) }
        }
        return [
            .text(address), .integer(Int64(share * 1_000)), .integer(isDraining ? 1 : 0),
            .integer(Int64(relayCount)), .integer(Int64(followedCount)),
            .text(String(decoding: json, as: UTF8.self)),
        ]
    }
}

/// What there is to say of a server, for operators.
///
/// - Parameters:
///   - sessionCount: the sessions that it has.
///   - silence: since its last renewal.
package typealias ServerReport = (
    server: LiveServer, number: Int, build: String, sessionCount: Int, silence: Duration
)

/// Beside other servers.
extension PostgreSQLJournal {
    /// How often this process's row was ended by others.
    public var lossCount: Int { life.lossCount }

    /// Tells other servers of this one, at once where more than a count has changed.
    public func announce(_ server: LiveServer) { life.announce(server) }

    /// The servers that have announced themselves, as they were a second ago.
    public var servers: [LiveServer] { life.servers }

    /// The same as they are now, or last were where the database is away.
    public func readServers() async -> [LiveServer] { await life.readServers() }

    /// The address of the server that has a session.
    public func holder(of name: SessionName) async throws(JournalFailure) -> String? {
        let call = Statements.holder(.text(name.description), .integer(try life.id()))
        return try await run(call, on: .reading).first?.text(0)
    }

    /// Gives sessions away by one commit, once the states are kept of those that have many entries behind theirs.
    public func release(_ sessions: [Release]) async throws(JournalFailure) {
        let results = await withTaskGroup { group in
            for session in sessions { group.addTask { await self.keepLast(of: session) } }
            return await group.reduce(into: [Result<Release, JournalFailure>]()) { $0.append($1) }
        }
        // In the order in which appends have the rows.
        let ready = results.compactMap { try? $0.get() }.sorted {
            $0.lease.session < $1.lease.session
        }
        appender.inbox.withLock { inbox in
            for session in ready { inbox.drop(session.lease.session, of: session.lease) }
        }
        if !ready.isEmpty {
            let rows = ready.map { $0.lease.parameters + [.text($0.receiver ?? "")] }
            guard try await run(Statements.release(rows.columns)).count == ready.count else {
                throw .heldElsewhere
            }
        }
        for case .failure(let failure) in results { throw failure }
    }

    private func keepLast(of session: Release) async -> Result<Release, JournalFailure> {
        do throws(JournalFailure) {
            let head = try appender.session(session.lease)
            if session.work != nil || head.tail.count >= 16 {
                try await keep(head, work: session.work)
            }
            return .success(session)
        } catch {
            return .failure(error)
        }
    }

    /// What there is to say of the other servers.
    package func report() async throws(JournalFailure) -> [ServerReport] {
        try await run(Statements.report(.integer(try life.id())), on: .past).map { row in
            (
                LiveServer(row), Int(row.number(6)), row.text(7), Int(row.number(8)),
                .milliseconds(row.number(9))
            )
        }
    }
}

public import ClientWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
public import Observation
public import Redux
import StateCoding

/// A session of a server as a client has it: its state, which follows what happens, and a place to send
/// actions to, which are shown at once.
///
///     let mirror = Mirror<ShoppingModel>(of: "http://localhost:8080/list/sessions/home")
///     mirror.start()
///     mirror.send(.list(.added(name: "Milk")))
///     Text("\(mirror.state?.items.count ?? 0)")
///
/// An action is reduced by the model's own reducer before the server has answered, where the server
/// shows the state as it is and has the same schema. What is shown of it goes with a refusal, and stays
/// with a confirmation: nothing is shown twice, or missing in between. In a predicted step, `at` is the
/// client's time, and ids are provisional ones, which become the server's; an action that names one is
/// sent once it is known by the server. An action that draws random numbers is not predicted.
///
/// It belongs to the main actor, as views do: what `send` shows is there when it returns, in the same
/// frame as the key that was pressed. A server has the sessions of its own process by their handles; it
/// awaits a mirror of another one as any actor.
///
/// Files that import this module write `Swift.Mirror` for the standard library's.
@MainActor @Observable
public final class Mirror<M: Model> {
    /// What is shown: the state that the server has confirmed, and on top of it what was sent since. Nil
    /// before the first, and where a view that stands for the state shows this client nothing.
    public private(set) var state: M.State?
    /// How the mirror stands to the session.
    public private(set) var status = MirrorStatus.connecting
    /// The number of actions that the server has not confirmed yet.
    public private(set) var pendingCount = 0

    @ObservationIgnored private var machine: MirrorMachine<M>
    @ObservationIgnored private let session: String
    @ObservationIgnored private let transport: any Transport
    @ObservationIgnored private let environment: Environment
    /// The time since the mirror was made.
    @ObservationIgnored private let elapsed: @Sendable () -> Duration
    @ObservationIgnored private var isStarted = false
    @ObservationIgnored private var tasks: [Duty: Task<Void, Never>] = [:]
    @ObservationIgnored private var senders: [Int: Sent.Ends.Continuation] = [:]
    @ObservationIgnored private var readers: [Int: AsyncStream<M.State>.Continuation] = [:]
    @ObservationIgnored private var readerCount = 0
    /// The number of readers up to the change to the person whom the mirror is of now.
    @ObservationIgnored private var strangerCount = 0

    /// A mirror of a session, which does nothing before ``start()``.
    ///
    /// - Parameters:
    ///   - session: the URL of the session: `http://localhost:8080/list/sessions/home`.
    ///   - query: names a view where that is mirrored, and not the state: `view=item&id=17`.
    ///   - fields: are sent along with each request: `["Authorization": "Bearer …"]`.
    ///   - environment: the clocks by which it waits, and which predicted steps tell; nil: the machine's.
    public init(
        _ model: M.Type = M.self, of session: String, query: String = "",
        fields: [String: String] = [:], over transport: any Transport,
        in environment: Environment? = nil
    ) {
        do throws(ActionCoderError) {
            machine = try MirrorMachine(
                of: session, query: query, fields: fields, seed: .random(in: .min ... .max))
        } catch {
            preconditionFailure("The actions of \(model) have no form on the wire: \(error)")
        }
        self.session = session
        self.transport = transport
        self.environment =
            environment
            ?? Environment(
                now: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) })
        elapsed = self.environment.clock.timeSinceNow()
    }

    isolated deinit {
        endTasks()
        endWaiting()
    }

    /// Sent along with each request. Others are those of another person: actions whose end is not known
    /// are told `stopped`, what was shown goes, and ``states`` end. ``renew(_:)`` keeps all.
    public var fields: [String: String] {
        get { machine.fields }
        set {
            guard newValue != machine.fields else { return }
            strangerCount = readerCount
            machine.become(newValue, at: elapsed())
            perform()
            endReaders()
        }
    }

    /// Goes on with other fields of the same person: a token that was renewed.
    public func renew(_ fields: [String: String]) {
        machine.fields = fields
        resume()
    }

    // MARK: What an application asks for

    /// Begins to follow the session, until ``stop()``.
    public func start() {
        isStarted = true
        machine.resume(at: elapsed())
        perform()
    }

    /// Ends all requests. What is shown stays; actions whose end is not known are told `stopped`, and
    /// are not sent any more.
    public func stop() {
        isStarted = false
        endTasks()
        machine.stop()
        perform()
        endWaiting()
    }

    /// Asks the server anew: after a refusal or a loss, or at once where a network is back.
    public func resume() {
        machine.resume(at: elapsed())
        perform()
    }

    /// Has the server make the session, where there is none, and begins to follow it.
    ///
    /// A session that is lost is reported (``MirrorStatus/lost(_:)``) and made anew only by this.
    ///
    /// - Parameter input: of which the application makes its first state.
    public func make(with input: (any Encodable)? = nil) async throws(MirrorProblem) {
        let bytes: [UInt8]?
        do throws(EncodingFailure) {
            bytes = try input.map { value throws(EncodingFailure) in
                try StateEncoder().openBytes(of: value)
            }
        } catch {
            throw MirrorProblem("not-encodable", error.detail)
        }
        let request = ClientRequest.making(session, input: bytes, fields: machine.fields)
        let answer = try await transport.answer(
            to: request, within: SessionFeed.patience, by: environment.clock
        ).get()
        guard (200..<300).contains(answer.status) else { throw MirrorProblem(answer) }
        start()
    }

    /// Sends an action, behind those that were sent before; it is shown when this returns, where it is
    /// predicted.
    ///
    /// - Returns: the way to learn what became of it.
    @discardableResult
    public func send(_ action: M.Action) -> Sent {
        let (ends, sender) = Sent.Ends.makeStream(bufferingPolicy: .bufferingNewest(1))
        do throws(MirrorProblem) {
            senders[try machine.send(action, at: environment.now())] = sender
            perform()
        } catch {
            sender.end(.failure(error))
        }
        return Sent(ends: ends)
    }

    /// The states that are shown from now on, the present one first; who is slow misses some, never the
    /// newest. Ends with ``stop()``, and where ``fields`` are another person's.
    public var states: AsyncStream<M.State> {
        let (stream, reader) = AsyncStream<M.State>.makeStream(bufferingPolicy: .bufferingNewest(1))
        readerCount += 1
        let number = readerCount
        readers[number] = reader
        reader.onTermination = { [weak self] _ in
            Task { @MainActor in self?.readers[number] = nil }
        }
        if let state { reader.yield(state) }
        return AsyncStream { [weak self] in
            // One that was not taken before the person changed is not that person's to see.
            for await state in stream {
                return await self?.mayHand(to: number) == false ? nil : state
            }
            return nil
        }
    }

    private func mayHand(to reader: Int) -> Bool { reader > strangerCount }

    // MARK: What the machine asks for

    /// Does what is to be done now, shows what is to be shown, and comes back at the deadline.
    private func perform() {
        if isStarted {
            while let demand = machine.next(at: elapsed()) { begin(demand) }
        }
        if status != machine.status { status = machine.status }
        if status.isStopped { tasks[.watch]?.cancel() }
        let count = machine.pendingCount
        if pendingCount != count { pendingCount = count }
        if state != machine.state {
            state = machine.state
            if let state { for reader in readers.values { reader.yield(state) } }
        }
        while let end = machine.nextEnd() {
            senders.removeValue(forKey: end.number)?.end(end.result)
        }
        guard isStarted, let deadline = machine.deadline else { return }
        let (clock, pause) = (environment.clock, max(.zero, deadline - elapsed()))
        run(.wait) { [weak self] in
            // Where it is cancelled, another one waits, or none.
            if (try? await clock.sleep(for: pause)) != nil { self?.perform() }
        }
    }

    private func begin(_ demand: SessionFeed.Demand) {
        let transport = transport
        switch demand {
        case .describe(let request):
            run(.watch) { [weak self] in
                let result = await transport.answer(to: request)
                self?.hear { $0.describe(result, at: $1) }
            }
        case .post(let request):
            run(.post) { [weak self] in
                let result = await transport.answer(to: request)
                self?.hear { $0.answer(result, at: $1) }
            }
        case .watch(let request):
            run(.watch) { [weak self] in
                do {
                    let answer = try await transport.send(request)
                    guard answer.status == 200 else {
                        throw MirrorProblem(try await answer.whole())
                    }
                    self?.hear { $0.open(at: $1) }
                    for try await bytes in answer.body { self?.hear { $0.read(bytes, at: $1) } }
                    self?.hear { $0.end(nil, at: $1) }
                } catch {
                    self?.hear { $0.end(MirrorProblem(error), at: $1) }
                }
            }
        }
    }

    /// Runs something in place of the former of its kind.
    private func run(_ duty: Duty, _ body: @escaping @MainActor () async -> Void) {
        tasks.updateValue(Task { await body() }, forKey: duty)?.cancel()
    }

    private func endWaiting() {
        let problem = MirrorProblem("stopped", "The mirror was stopped.")
        for sender in senders.values { sender.end(.failure(problem)) }
        senders = [:]
        endReaders()
    }

    private func endReaders() {
        for reader in readers.values { reader.finish() }
        readers = [:]
    }

    private func endTasks() {
        for task in tasks.values { task.cancel() }
        tasks = [:]
    }

    /// Tells the machine something, unless the task that has it was ended.
    private func hear(_ tell: (inout MirrorMachine<M>, Duration) -> Void) {
        guard !Task.isCancelled else { return }
        tell(&machine, elapsed())
        perform()
    }
}

/// An action that was sent.
public struct Sent: Sendable {
    typealias Ends = AsyncStream<Result<String?, MirrorProblem>>

    let ends: Ends

    /// Returns once the mirror shows a confirmed state with the action in it; its token, which other
    /// requests may name, or nil where it is no entry: the server has dropped or delayed it. Throws
    /// where it was refused. Asked once.
    @discardableResult
    public func confirmed() async throws(MirrorProblem) -> String? {
        for await end in ends { return try end.get() }
        throw MirrorProblem("stopped", "Nobody waits for the answer any more.")
    }
}

extension Sent.Ends.Continuation {
    fileprivate func end(_ result: Element) {
        yield(result)
        finish()
    }
}

/// The tasks of a mirror, one of each kind, end with it. It watches, or asks before it does what there is.
private enum Duty { case watch, post, wait }

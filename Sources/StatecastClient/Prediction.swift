package import ClientWire
package import Redux
package import StateCoding

/// What a client shows of a session: the state that the server has confirmed, and on top of it, by the
/// server's own reducer, the actions that it has not confirmed yet.
///
///     confirmed + pending → shown
///
/// A stream may bring the state with an action in it before the answer to that action has come. So a
/// newer state is held back as long as an action is shown of which nobody knows whether it is in
/// there: none is ever shown twice, and none is missing in between.
package struct Prediction<M: Model>: Sendable {
    /// An action on its way.
    package struct Pending: Sendable {
        package enum Stage: Sendable, Hashable {
            /// The server does not have it.
            case waiting
            /// The server has it, or not.
            case sent
            /// It is the entry of this token, and the state has changed by it.
            case kept(Token)
            /// It has no part in the state of this token, by which it was refused, or had nothing to change.
            /// What is shown before may not be so far, and would come back for a moment.
            case void(Token)

            fileprivate var token: Token? {
                switch self {
                case .waiting, .sent: nil
                case .kept(let token), .void(let token): token
                }
            }
        }

        /// In the order of sending, from 1.
        package let number: Int
        package fileprivate(set) var json: [UInt8]
        fileprivate var action: M.Action
        fileprivate let type: String
        let at: Timestamp
        /// The entry that it becomes, and from which its ids are made: a provisional one at first, and
        /// the same as long as it is, so that what is shown keeps its identity.
        fileprivate var entry: Token
        package fileprivate(set) var stage = Stage.waiting
        /// False where its outcome is the server's to say.
        fileprivate(set) var isForeseeable: Bool
        fileprivate var isShown = false

        /// Its end was told.
        package var isVoid: Bool { if case .void = stage { true } else { false } }
    }

    /// The end of an action: its token, nil where it is no entry; or why there is none.
    package typealias End = (number: Int, result: Result<String?, MirrorProblem>)

    /// The state as it was at a token; nil where a view shows nothing.
    private typealias Confirmed = (state: M.State?, token: Token)

    /// What is to be shown; nil before the first state.
    package private(set) var shown: M.State?
    /// In the order in which they were sent.
    package private(set) var pending: [Pending] = []
    /// The one for whom actions are foretold; nil where nothing is shown before it is confirmed.
    package var foresight: Foresight? {
        didSet { update() }
    }
    private var ends: [End] = []
    /// What `shown` rests on.
    private var base: Confirmed?
    /// The newest state, where that may have in it what is shown on top.
    private var held: Confirmed?
    /// The latest 16 epochs that were followed by another one.
    private var formerEpochs: [String] = []
    private let coder: ActionCoder<M.Action>
    /// The first part of provisional ids: no token begins with `~`.
    private let provisionalEpoch: String
    private var lastVersion: UInt64 = 0
    private var lastNumber = 0
    /// The entries whose provisional ids may still be named, by those; the latest ones.
    private var replaced: [(provisional: Token, real: Token)] = []

    private static var replacedLimit: Int { 256 }
    /// The most bytes of one request.
    private static var batchByteCount: Int { 64 << 10 }

    /// A prediction that shows nothing yet.
    ///
    /// - Parameter mark: tells the provisional ids of a client from texts of its user: random.
    package init(mark: String) throws(ActionCoderError) {
        coder = try ActionCoder()
        provisionalEpoch = "~" + mark
    }

    /// The newest token that was confirmed.
    private var newest: Token? { (held ?? base)?.token }

    // MARK: What the user does

    /// Adds an action behind the others; its number.
    package mutating func add(
        _ action: M.Action, at time: Timestamp
    ) throws(EncodingFailure) -> Int {
        lastNumber += 1
        lastVersion = max(lastVersion, newest?.version ?? 0) + 1
        // With its number, so that none begins as another one does.
        let entry = Token(epoch: "\(provisionalEpoch).\(lastNumber)", version: lastVersion)
        var added = Pending(
            number: lastNumber, json: try coder.openBytes(of: action), action: action,
            type: coder.typeName(of: action), at: time, entry: entry, isForeseeable: true)
        for (provisional, real) in replaced { rename(provisional, to: real, in: &added) }
        pending.append(added)
        foresight?.apply(&pending[pending.count - 1], to: &shown)
        return lastNumber
    }

    // MARK: What the server says

    /// Takes over a state that the server has shown.
    package mutating func confirm(_ state: M.State?, at token: Token) {
        held = (state, token)
        update()
    }

    /// Takes over that the state is the same at a later token.
    package mutating func confirm(at token: Token) {
        guard let newest = held ?? base else { return }
        confirm(newest.state, at: token)
    }

    /// What goes as one request, which the server may have from now on: the actions that wait, but for one
    /// that names what another of them makes and those behind it; or the same once more.
    package mutating func send(_ again: [Int]?, upTo count: Int) -> (numbers: [Int], json: [UInt8])
    {
        var batch = again.map { numbers in pending.filter { numbers.contains($0.number) } } ?? []
        var byteCount = 0
        for action in pending where again == nil && action.stage == .waiting {
            byteCount += action.json.count
            guard
                batch.isEmpty
                    || batch.count < count && byteCount <= Self.batchByteCount
                        && !batch.contains(where: { action.names($0.entry) })
            else { break }
            batch.append(action)
        }
        let numbers = batch.map(\.number)
        change(numbers) { $0.stage = .sent }
        let json = Array(batch.map(\.json).joined(separator: ",".utf8))
        return (numbers, batch.count > 1 ? "[".utf8 + json + "]".utf8 : json)
    }

    /// The server does not have actions, for sure.
    package mutating func takeBack(_ numbers: [Int]) { change(numbers) { $0.stage = .waiting } }

    /// Actions are entries, and are shown until there is a state with them: those behind them that name
    /// their provisional ids name the real ones now.
    ///
    /// - Parameter entries: by their numbers, nil for what is none.
    package mutating func keep(_ entries: [(Int, Pending.Stage?)]) {
        for (number, stage) in entries {
            guard let stage, let token = stage.token,
                let index = pending.firstIndex(where: { $0.number == number })
            else { continue }
            if case .void = stage { ends.append((number, .success(token.description))) }
            let provisional = pending[index].entry
            pending[index].stage = stage
            pending[index].entry = token
            for later in pending.indices.dropFirst(index + 1) {
                rename(provisional, to: token, in: &pending[later])
            }
            replaced = replaced.suffix(Self.replacedLimit - 1) + [(provisional, token)]
        }
        update()
    }

    /// An action is no entry and will be none, nor will those be that name what it would have made.
    ///
    /// - Parameter token: of the state by which it was refused: it is shown until that comes.
    package mutating func end(
        _ number: Int, as result: Result<String?, MirrorProblem>, at token: Token?
    ) {
        var gone: [Pending] = []
        pending.removeAll { action in
            guard action.number == number || gone.contains(where: { action.names($0.entry) })
            else { return false }
            gone.append(action)
            return action.number != number || token == nil
        }
        let problem = MirrorProblem(
            "names-what-is-not", "It names what an action would have made that was refused.")
        ends += gone.map { ($0.number, $0.number == number ? result : .failure(problem)) }
        change([number]) { if let token { $0.stage = .void(token) } }
    }

    /// Each action comes to an end that none has had.
    package mutating func endAll(_ problem: MirrorProblem) {
        for action in pending where !action.isVoid {
            ends.append((action.number, .failure(problem)))
        }
        remove { _ in true }
    }

    /// An end that was not told yet.
    package mutating func nextEnd() -> End? { ends.isEmpty ? nil : ends.removeFirst() }

    /// Shows actions no longer: others are waited for no more, whether they are in their states or not.
    package mutating func leaveOut(_ numbers: [Int]) {
        change(numbers) { $0.isForeseeable = false }
    }

    /// The server is in an epoch: what it has answered in others is in the states of this one.
    package mutating func enter(_ epoch: String) {
        let former = ([base?.token] + pending.map(\.stage.token)).compactMap(\.?.epoch)
        formerEpochs = (formerEpochs + former).filter { $0 != epoch }.suffix(16)
    }

    /// Shows nothing more of some actions.
    package mutating func remove(_ isGone: (Pending) -> Bool) {
        pending.removeAll(where: isGone)
        update()
    }

    /// Begins anew, with nothing that was shown.
    package mutating func forget() { (base, held, shown, foresight) = (nil, nil, nil, nil) }

    // MARK: What is shown

    private mutating func change(_ numbers: [Int], _ body: (inout Pending) -> Void) {
        for index in pending.indices where numbers.contains(pending[index].number) {
            body(&pending[index])
        }
        update()
    }

    /// An action is shown of which nobody knows whether a newer state has it.
    private var isInDoubt: Bool { pending.contains { $0.stage == .sent && $0.isForeseeable } }

    private mutating func update() {
        // The state that is shown next may have them in it.
        for index in pending.indices
        where pending[index].stage == .sent && !(foresight != nil && pending[index].isShown) {
            pending[index].isForeseeable = false
        }
        if let newer = held, !isInDoubt {
            if base?.token.epoch != newer.token.epoch { enter(newer.token.epoch) }
            base = newer
            held = nil
        }
        guard let base else { return }
        pending.removeAll { action in
            // An answer may be quicker than the first state of its epoch.
            guard let token = action.stage.token,
                token.epoch == base.token.epoch
                    ? base.token.includes(token) : formerEpochs.contains(token.epoch)
            else { return false }
            if !action.isVoid { ends.append((action.number, .success(token.description))) }
            return true
        }
        var state = base.state
        for index in pending.indices {
            pending[index].isShown = false
            if pending[index].isForeseeable { foresight?.apply(&pending[index], to: &state) }
        }
        if state != shown { shown = state }
    }

    private func rename(
        _ provisional: Token, to real: Token, in action: inout Pending
    ) {
        guard action.names(provisional) else { return }
        let json = action.json.replacing(
            provisional.description.utf8, with: real.description.utf8)
        // An id that is no text stays: the server says that it knows none of that name.
        guard let renamed = try? coder.decodeLogged(json.span).action else { return }
        (action.action, action.json) = (renamed, json)
    }

    /// What it takes to foretell: who sends, in which session, and what the server keeps to itself.
    package struct Foresight: Sendable {
        let you: Principal
        let session: SessionID
        /// Types of actions, or of all of a group, whose outcome is the server's to say.
        let unpredicted: [String]

        fileprivate func apply(_ pending: inout Pending, to state: inout M.State?) {
            guard var next = state else { return }
            let type = pending.type
            guard !unpredicted.contains(where: { type == $0 || type.hasPrefix("\($0)/") }) else {
                pending.isForeseeable = false
                return
            }
            let step = Step(
                by: you, at: pending.at, version: pending.entry.version, session: session,
                epoch: pending.entry.epoch)
            do throws(Rejection) {
                try M.reduce(&next, pending.action, step)
            } catch {
                // The server is asked all the same: its state may be another one by then.
                return
            }
            if step.hasDrawn {
                pending.isForeseeable = false
            } else {
                state = next
                pending.isShown = true
            }
        }
    }
}

extension SessionDescription {
    func foresight<M: Model>() -> Prediction<M>.Foresight? {
        SessionID(id).map {
            // The roles of a stranger are not those of its principal.
            Prediction.Foresight(
                you: you.id.map { Principal($0, roles: you.roles) } ?? .anonymous, session: $0,
                unpredicted: unpredicted ?? [])
        }
    }
}

extension Prediction.Pending {
    /// The action names an id that an entry makes.
    fileprivate func names(_ entry: Token) -> Bool {
        json.contains(entry.description.utf8)
    }
}

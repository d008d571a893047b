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
            case kept(ClientToken)
            /// It has no part in the state of this token, by which it was refused, or had nothing to change.
            /// What is shown before may not be so far, and would come back for a moment.
            case void(ClientToken)

            fileprivate var token: ClientToken? {
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
        fileprivate var entry: ClientToken
        package fileprivate(set) var stage = Stage.waiting
        /// False where its outcome is the server's to say.
        fileprivate(set) var isForeseeable: Bool
        fileprivate var isShown = false
    }

    /// The state as it was at a token; nil where a view shows nothing.
    private typealias Confirmed = (state: M.State?, token: ClientToken)

    /// What is to be shown; nil before the first state.
    package private(set) var shown: M.State?
    /// In the order in which they were sent.
    package private(set) var pending: [Pending] = []
    /// The one for whom actions are foretold; nil where nothing is shown before it is confirmed.
    package var foresight: Foresight? {
        didSet { update() }
    }
    /// What `shown` rests on.
    private var base: Confirmed?
    /// The newest state, where that may have in it what is shown on top.
    private var held: Confirmed?
    private let coder: ActionCoder<M.Action>
    /// The first part of provisional ids: no token begins with `~`.
    private let provisionalEpoch: String
    private var lastVersion: UInt64 = 0
    private var lastNumber = 0
    /// The entries whose provisional ids may still be named, by those; the latest ones.
    private var replaced: [(provisional: ClientToken, real: ClientToken)] = []

    private static var replacedLimit: Int { 256 }

    /// A prediction that shows nothing yet.
    ///
    /// - Parameter mark: tells the provisional ids of a client from texts of its user: random.
    package init(mark: String) throws(ActionCoderError) {
        coder = try ActionCoder()
        provisionalEpoch = "~" + mark
    }

    /// The token of what `shown` rests on.
    package var token: ClientToken? { base?.token }

    /// The newest token that was confirmed.
    private var newest: ClientToken? { (held ?? base)?.token }

    // MARK: What the user does

    /// Adds an action behind the others; its number.
    package mutating func add(
        _ action: M.Action, at time: Timestamp
    ) throws(EncodingFailure) -> Int {
        lastNumber += 1
        lastVersion = max(lastVersion, newest?.version ?? 0) + 1
        let entry = ClientToken(epoch: provisionalEpoch, version: lastVersion)
        var added = Pending(
            number: lastNumber, json: try coder.openBytes(of: action), action: action,
            type: coder.typeName(of: action), at: time, entry: entry, isForeseeable: true)
        for (provisional, real) in replaced { rename(provisional, to: real, in: &added) }
        pending.append(added)
        update()
        return lastNumber
    }

    // MARK: What the server says

    /// Takes over a state that the server has shown.
    package mutating func confirm(_ state: M.State?, at token: ClientToken) {
        held = (state, token)
        update()
    }

    /// Takes over that the state is the same at a later token.
    package mutating func confirm(at token: ClientToken) {
        guard let newest = held ?? base else { return }
        confirm(newest.state, at: token)
    }

    /// The server may have an action from now on; or it does not have it, for sure.
    package mutating func mark(_ number: Int, isSent: Bool) {
        change(number) { $0.stage = isSent ? .sent : .waiting }
    }

    /// An action is an entry, and is shown until there is a state with it: those behind it that name its
    /// provisional ids name the real ones now.
    ///
    /// - Parameter isChange: it has changed something.
    package mutating func keep(_ number: Int, as token: ClientToken, isChange: Bool) {
        guard let index = pending.firstIndex(where: { $0.number == number }) else { return }
        let provisional = pending[index].entry
        pending[index].stage = isChange ? .kept(token) : .void(token)
        pending[index].entry = token
        for later in pending.indices.dropFirst(index + 1) {
            rename(provisional, to: token, in: &pending[later])
        }
        replaced = replaced.suffix(Self.replacedLimit - 1) + [(provisional, token)]
        update()
    }

    /// An action is no entry and will be none, nor will those be that name what it would have made; the
    /// numbers of all of them, in order.
    ///
    /// - Parameter token: of the state by which it was refused: it is shown until that comes.
    package mutating func remove(_ number: Int, at token: ClientToken?) -> [Int] {
        var gone: [Pending] = []
        pending.removeAll { action in
            guard action.number == number || gone.contains(where: { action.names($0.entry) })
            else { return false }
            gone.append(action)
            return action.number != number || token == nil
        }
        if let token { change(number) { $0.stage = .void(token) } }
        update()
        return gone.map(\.number)
    }

    /// Shows nothing more of actions that have no part in the state: the server shows a version in which
    /// nothing has changed to nobody, and the token may not come.
    package mutating func dropVoid() {
        pending.removeAll { if case .void = $0.stage { true } else { false } }
        update()
    }

    /// Shows an action no longer: others are waited for no more, whether it is in their states or not.
    package mutating func leaveOut(_ number: Int) { change(number) { $0.isForeseeable = false } }

    /// Takes back what the server does not have.
    package mutating func removeWaiting() {
        pending.removeAll { $0.stage == .waiting }
        update()
    }

    /// Begins anew, with nothing that was shown.
    package mutating func forget() { (base, held, shown, foresight) = (nil, nil, nil, nil) }

    /// No action will be an entry; the numbers of all that might have been.
    package mutating func removeAll() -> [Int] {
        let numbers = pending.map(\.number)
        pending = []
        update()
        return numbers
    }

    // MARK: What is shown

    private mutating func change(_ number: Int, _ body: (inout Pending) -> Void) {
        guard let index = pending.firstIndex(where: { $0.number == number }) else { return }
        body(&pending[index])
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
            base = newer
            held = nil
        }
        guard let base else { return }
        pending.removeAll { $0.stage.token.map { base.token.includes($0) } ?? false }
        var state = base.state
        for index in pending.indices {
            pending[index].isShown = false
            if pending[index].isForeseeable { foresight?.apply(&pending[index], to: &state) }
        }
        if state != shown { shown = state }
    }

    private func rename(
        _ provisional: ClientToken, to real: ClientToken, in action: inout Pending
    ) {
        guard action.names(provisional) else { return }
        let json = action.replacing(provisional, by: real)
        do throws(ActionFailure) {
            action.action = try coder.decodeLogged(json.span).action
            action.json = json
        } catch {
            // An id that is no text stays: the server says that it knows none of that name.
        }
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
    fileprivate func names(_ entry: ClientToken) -> Bool {
        !json.places(of: Array(entry.description.utf8)).isEmpty
    }

    fileprivate func replacing(_ entry: ClientToken, by other: ClientToken) -> [UInt8] {
        let name = Array(entry.description.utf8)
        var output = json
        for place in json.places(of: name).reversed() {
            output.replaceSubrange(place..<(place + name.count), with: other.description.utf8)
        }
        return output
    }
}

extension [UInt8] {
    /// The places of a name, where no digit follows: `~x-4` does not stand in `~x-42`.
    fileprivate func places(of name: [UInt8]) -> [Int] {
        guard count >= name.count else { return [] }
        return (0...(count - name.count)).filter { start in
            let end = start + name.count
            return self[start] == name[0] && self[start..<end].elementsEqual(name)
                && !(end < count && (0x30...0x39).contains(self[end]))
        }
    }
}

import Bytes
import ClientWire
import Redux
@testable import StatecastClient

/// Two clients of one session on paper: what they send and hear takes its time, and some of it is lost.
/// Servers fall silent, ask for patience, and begin other epochs; somebody else sits down at a client.
struct PaperWorld {
    enum Event {
        case wake
        case user, another, restart
        /// At the server.
        case asked(stream: Int), posted(ClientRequest, post: Int), opened(stream: Int, String?)
        case publish
        /// At the client; nil: lost.
        case described(ClientAnswer?, stream: Int), answered(ClientAnswer?, post: Int)
        case streaming(stream: Int), heard([UInt8], stream: Int), ended(stream: Int)
    }

    struct Client {
        var name: String
        var machine: MirrorMachine<BoardModel>
        var stream = 0
        var post = 0
        /// The stream at the server, the id up to which it was written, and when that arrives.
        var watching: (stream: Int, id: String?, arrival: Int)?
        var wakesAt = Int.max
        var sent = 0
        var ends: [Int: Result<String?, MirrorProblem>] = [:]
        /// Notes that were shown, by the first part of their text; false: they are not any more.
        var isShown: [String: Bool] = [:]
        /// What was shown since something was taken back.
        var frames: Set<String> = []
        var shown: Board?
        var shownCount = 0
    }

    /// What has happened in a run, to see that all of it does happen.
    struct Tally {
        var counts: [String: Int] = [:]
        /// What may not happen.
        var faults: [String] = []
    }

    var server: PaperServer
    var clients: [Client] = []
    var tally = Tally()
    private(set) var now = 0
    private var random: SplitMix
    private var queue: [(time: Int, order: Int, client: Int, event: Event)] = []
    private var order = 0
    private var keys: Set<String> = []
    /// Until then things are lost.
    private let calm = 8_000
    let losesPercent: Int

    init(seed: UInt64, clients count: Int = 2, losesPercent: Int = 12) throws {
        server = try PaperServer()
        random = SplitMix(seed: seed)
        self.losesPercent = losesPercent
        for index in 0..<count {
            let machine = try MirrorMachine<BoardModel>(
                of: "/board/sessions/board", seed: random.next())
            clients.append(Client(name: ["ada", "ben"][index], machine: machine))
            post(.wake, to: index, in: 0)
        }
    }

    mutating func post(_ event: Event, to client: Int, in delay: Int) {
        order += 1
        let entry = (now + delay, order, client, event)
        let place = queue.lastIndex { $0.time <= now + delay }.map { $0 + 1 } ?? 0
        queue.insert(entry, at: place)
    }

    private mutating func latency() -> Int { Int.random(in: 5...300, using: &random) }

    private mutating func chance(_ percent: Int) -> Bool {
        now < calm && Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func isLost() -> Bool {
        let isLost = chance(losesPercent)
        if isLost { count("lost") }
        return isLost
    }

    private mutating func count(_ accident: String) { tally.counts[accident, default: 0] += 1 }

    /// Nobody says anything of it any more.
    private mutating func isSilenced() -> Bool {
        let isSilenced = losesPercent > 0 && chance(2)
        if isSilenced { count("silenced") }
        return isSilenced
    }

    var isQuiet: Bool {
        clients.allSatisfy {
            $0.machine.prediction.pending.isEmpty && $0.ends.count == $0.sent
                && $0.machine.state == server.board
        }
    }

    /// Runs until everything has come to rest; false where it does not.
    mutating func run(until patience: Int = 600_000) throws -> Bool {
        while !(now > calm && isQuiet) {
            guard now < patience, !queue.isEmpty else { return false }
            let entry = queue.removeFirst()
            now = entry.time
            try perform(entry.event, entry.client)
        }
        return true
    }

    private mutating func perform(_ event: Event, _ index: Int) throws {
        let time = Duration.milliseconds(now)
        let lost = MirrorProblem("no-answer", "It was lost.")
        switch event {
        case .wake: break
        case .user: try act(index)
        case .another:
            clients[index].name += "a"
            clients[index].machine.become(["Authorization": clients[index].name], at: time)
            (clients[index].isShown, clients[index].frames) = ([:], [])
        case .restart:
            try server.restart()
            for client in clients.indices {
                guard let stream = clients[client].watching?.stream else { continue }
                clients[client].watching = nil
                if !isSilenced() { post(.ended(stream: stream), to: client, in: latency()) }
            }
        case .asked(let stream):
            if isSilenced() { return }
            let answer =
                chance(losesPercent / 4)
                ? Self.unreadable : server.description(of: clients[index].name)
            post(.described(isLost() ? nil : answer, stream: stream), to: index, in: latency())
        case .posted(let request, let number):
            try take(request, number, index)
        case .opened(let stream, let id):
            guard stream == clients[index].stream else { return }
            if isLost() { return post(.ended(stream: stream), to: index, in: latency()) }
            clients[index].watching = (stream, id, now)
            post(.streaming(stream: stream), to: index, in: 1)
            publish(to: index)
        case .publish: publish(to: index)
        case .described(let answer, let stream):
            guard stream == clients[index].stream else { return }
            clients[index].machine.describe(answer.map { .success($0) } ?? .failure(lost), at: time)
        case .answered(let answer, let number):
            guard number == clients[index].post else { return }
            clients[index].machine.answer(answer.map { .success($0) } ?? .failure(lost), at: time)
        case .streaming(let stream):
            if stream == clients[index].stream { clients[index].machine.open(at: time) }
        case .heard(let bytes, let stream):
            if stream == clients[index].stream { clients[index].machine.read(bytes, at: time) }
        case .ended(let stream):
            if stream == clients[index].stream { clients[index].machine.end(nil, at: time) }
        }
        pump(index)
    }

    private mutating func take(_ request: ClientRequest, _ number: Int, _ index: Int) throws {
        // Either the request is lost, or the answer to it.
        if isLost() { return post(.answered(nil, post: number), to: index, in: latency()) }
        let before = server.version
        if !keys.insert(request.fields["Idempotency-Key"] ?? "").inserted { count("repeated") }
        if request.body?.first == UInt8(ascii: "[") { count("batches") }
        let you = request.fields["Authorization"] ?? clients[index].name
        let isUnreadable = chance(losesPercent / 6)
        let answer =
            try isUnreadable
            ? Self.unreadable : server.take(request, by: you, isBusy: chance(losesPercent))
        if !isSilenced() {
            post(.answered(isLost() ? nil : answer, post: number), to: index, in: latency())
        }
        guard server.version > before else { return }
        for client in clients.indices {
            // A slow reader gets several patches as one.
            post(.publish, to: client, in: chance(30) ? latency() : 0)
        }
    }

    private static var unreadable: ClientAnswer {
        PaperServer.problem(423, "problems/session-unreadable")
    }

    private mutating func publish(to index: Int) {
        guard let watching = clients[index].watching,
            let event = server.event(behind: watching.id)
        else { return }
        let arrival = max(watching.arrival + 1, now + latency())
        clients[index].watching = (watching.stream, "\(server.epoch)-\(server.version)", arrival)
        if isSilenced() {
            clients[index].watching = nil
        } else if isLost() {
            clients[index].watching = nil
            post(.ended(stream: watching.stream), to: index, in: arrival - now)
        } else {
            post(.heard(event, stream: watching.stream), to: index, in: arrival - now)
        }
    }

    /// Does what a client asks for, and looks at what it shows.
    private mutating func pump(_ index: Int) {
        while let demand = clients[index].machine.next(at: .milliseconds(now)) {
            switch demand {
            case .describe:
                clients[index].stream += 1
                clients[index].watching = nil
                post(.asked(stream: clients[index].stream), to: index, in: latency())
            case .watch(let request):
                clients[index].stream += 1
                clients[index].watching = nil
                count("streams")
                let id = request.fields["Last-Event-ID"]
                post(.opened(stream: clients[index].stream, id), to: index, in: latency())
            case .post(let request):
                clients[index].post += 1
                post(.posted(request, post: clients[index].post), to: index, in: latency())
            }
        }
        while let end = clients[index].machine.nextEnd() {
            if clients[index].ends.updateValue(end.result, forKey: end.number) != nil {
                tally.faults.append("\(now): two ends of \(end.number)")
            }
            if case .failure(let problem) = end.result {
                count(problem.code == "stopped" ? "stopped" : "refused")
                // A note that was taken off may be back.
                clients[index].isShown = clients[index].isShown.filter(\.value)
                clients[index].frames = []
            }
        }
        look(index)
        guard let deadline = clients[index].machine.deadline else { return }
        let wake = max(now + 1, Int(deadline / .milliseconds(1)))
        if wake != clients[index].wakesAt {
            clients[index].wakesAt = wake
            post(.wake, to: index, in: wake - now)
        }
    }

    /// No note twice, none away for a while, and nothing as it was before.
    private mutating func look(_ index: Int) {
        guard let state = clients[index].machine.state, state != clients[index].shown else {
            return
        }
        clients[index].shown = state
        clients[index].shownCount += 1
        let names = state.notes.map { String($0.text.prefix { $0 != ":" }) }
        if Set(names).count < names.count { tally.faults.append("\(now): twice: \(names)") }
        // What has had no answer for long is shown later, and what is made of it.
        let pending = clients[index].machine.prediction.pending
        let isLeftOut = pending.contains { $0.stage != .waiting && !$0.isForeseeable }
        for name in names
        where clients[index].isShown.updateValue(true, forKey: name) == false && !isLeftOut {
            tally.faults.append("\(now): \(clients[index].name) had lost \(name)")
        }
        let frame =
            state.notes.map { $0.id + $0.text }.joined() + "\(state.strokes) \(state.drawn.count)"
        // Where there was no room for it, what is not confirmed may be shown later.
        guard names.count + pending.count(where: \.isWipe) < Board.limit, !isLeftOut else {
            return clients[index].frames = []
        }
        if !clients[index].frames.insert(frame).inserted {
            tally.faults.append("\(now): \(clients[index].name) sees again \(names)")
        }
        for name in clients[index].isShown.keys where !names.contains(name) {
            clients[index].isShown[name] = false
        }
    }

    // MARK: The user

    mutating func send(_ action: BoardAction, by index: Int) throws {
        clients[index].sent += 1
        _ = try clients[index].machine.send(action, at: Timestamp(milliseconds: 5))
        pump(index)
    }

    private mutating func act(_ index: Int) throws {
        let notes = clients[index].machine.state?.notes ?? []
        let number = "\(clients[index].name)\(clients[index].sent)"
        // The latest note is one of the user's own that the server may not know yet.
        let note = Bool.random(using: &random) ? notes.last : notes.randomElement(using: &random)
        switch (Int.random(in: 0..<10, using: &random), note) {
        case (0...1, let note?):
            if note.id.hasPrefix("~") { count("renamed") }
            let text = note.text.prefix { $0 != ":" } + ":" + number
            try send(.rewritten(id: note.id, text: String(text)), by: index)
        case (2, let note?): try send(.wiped(id: note.id), by: index)
        case (3, _): try send(.drawn, by: index)
        case (4, _): try send(.stroked, by: index)
        default: try send(.written(text: number), by: index)
        }
    }
}

extension Prediction.Pending {
    fileprivate var isWipe: Bool { String(decoding: json, as: UTF8.self).contains("wiped") }
}

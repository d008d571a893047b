import Bytes
import ClientWire
import HTTPMessages
import Redux
import StateCoding

/// A session's state as the server shows it that has the session, by the events of its stream. No sockets
/// and no clock.
///
/// What has come is shown once `show` says so: until then the state stays as it is.
final class FollowedState: ShownStates {
    enum Fault: Error {
        /// The server has ended the stream: another one may go on.
        case ended
        /// What was shown is of no use any more, as when the session goes on from another state.
        case lost
        /// A secret is left out: what is shown of the state here is not what is shown there.
        case secret
    }

    private var events = EventStreamReader()
    private var document = ClientDocument()
    /// The epoch of the first event: there is no other in the life of one that follows.
    private var received: Token?
    private var receivedChange: UInt64 = 0

    private(set) var lastVersion: UInt64 = 0
    private(set) var lastChange: UInt64 = 0
    private(set) var json = SharedBytes([])

    /// The newest that has come; nil before the first state.
    var token: Token? { received }

    /// Another stream begins, behind what has come.
    func begin() { events = EventStreamReader() }

    /// Takes what has come on the stream.
    func read(_ bytes: [UInt8]) throws(Fault) {
        var blocks: [EventStreamReader.Block] = []
        do throws(EventStreamParser.LineTooLong) {
            try events.read(bytes.span) { blocks.append($0) }
        } catch {
            throw .lost
        }
        for block in blocks { try take(block) }
    }

    private func take(_ block: EventStreamReader.Block) throws(Fault) {
        guard let id = block.id else {
            // The time after which clients come again has no name.
            if let name = block.event?.name, name != "ping" { throw .ended }
            return
        }
        guard let token = Token(id), SessionID(token.epoch) != nil, token.version < 1 << 53,
            token.epoch == (received ?? token).epoch, token.version >= (received ?? token).version
        else { throw .lost }
        if let event = block.event {
            // What is shown here is made of these bytes: compact JSON, as each server writes it.
            let data = Array(event.data.utf8)
            guard ["snapshot", "patch"].contains(event.name), JSONText.compact(data.span) == data
            else { throw .lost }
            guard !Secret<Never>.isLeftOut(of: data) else { throw .secret }
            do throws(ClientDocument.Failure) {
                _ = try document.apply(event.name, event.data, id: id)
            } catch {
                throw .lost
            }
            receivedChange = token.version
        } else {
            document.move(to: id)
        }
        received = document.token.flatMap { Token($0) }
    }

    /// What has come is shown from now on.
    func show() {
        guard let received else { return }
        if receivedChange != lastChange || json.count == 0 {
            json = SharedBytes(document.json ?? [])
        }
        (lastVersion, lastChange) = (received.version, receivedChange)
    }
}

/// Those who come to watch a session that another server has: what each is shown is no older than what was
/// shown there when they came. Who comes while that is asked waits for the next question.
///
///     join ──▶ waiting ── ask ──▶ asked ── answered, and shown here ──▶ admitted
struct Arrivals<Request> {
    private var waiting: [Request] = []
    private var asked: [Request] = []
    /// The answer.
    private var least: Token?

    mutating func join(_ request: Request) { waiting.append(request) }

    /// Asks for those who wait; false where nobody does, or others have asked and are not admitted.
    mutating func ask() -> Bool {
        guard asked.isEmpty, !waiting.isEmpty else { return false }
        (asked, waiting, least) = (waiting, [], nil)
        return true
    }

    mutating func answered(_ token: Token) { least = token }

    /// Takes those who have asked, where they may be shown what there is at a token.
    mutating func admitted(at token: Token) -> [Request] {
        guard let least, least.epoch == token.epoch, token.version >= least.version else {
            return []
        }
        defer { (asked, self.least) = ([], nil) }
        return asked
    }

    /// There is no answer: all wait for the next question.
    mutating func askAnew() { (waiting, asked, least) = (asked + waiting, [], nil) }

    /// Takes all.
    mutating func leave() -> [Request] {
        defer { self = Arrivals() }
        return asked + waiting
    }
}

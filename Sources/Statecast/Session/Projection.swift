import HTTPServer
import Sockets

/// One thing that is watched: the whole state, a part of it, or a view; with its bytes as they
/// were last made, shared by all who watch it.
final class Projection {
    /// What it is.
    enum Kind {
        case whole
        case part(JSONPointer)
        case view(name: String, arguments: [String: String])

        /// The identity of a projection of this kind; a part without tokens is the whole state.
        var key: ProjectionKey {
            switch self {
            case .whole: .whole
            case .part(let pointer): pointer.tokens.isEmpty ? .whole : .part(pointer)
            case .view(let name, let arguments): .view(name, arguments)
            }
        }
    }

    let kind: Kind
    /// The identity among the session's projections.
    let key: ProjectionKey
    /// The part of ids and ETags behind the token; empty for the whole state.
    let suffix: String
    /// The JSON at `encodedAt`; nil where that is out of scope.
    var json: SharedBytes? {
        didSet { negotiated = nil }
    }
    private var negotiated: NegotiatedBody?
    /// The version that `json` was made of.
    var encodedAt: UInt64?
    /// The last version in which it changed.
    var lastChange: UInt64 = 0
    /// Its event at `lastChange`, once somebody needs it.
    var frames = Frames()
    private(set) var watchers: [Watcher] = []
    var waiters: [Waiter] = []
    /// When its watchers were last sent something.
    var lastSent = Instant(nanoseconds: 0)
    /// The version of the last id that stood alone.
    var lastID: UInt64 = 0

    /// The bytes of one change, made once.
    struct Frames {
        var version: UInt64?
        var eventStream: StreamFrame?
        var lines: StreamFrame?
    }

    init(kind: Kind, key: ProjectionKey) {
        self.kind = kind
        self.key = key
        suffix = key.suffix
    }

    /// The JSON in the forms that clients ask for, one for all answers until it changes.
    var body: NegotiatedBody? {
        if negotiated == nil { negotiated = json.map { NegotiatedBody($0) } }
        return negotiated
    }

    /// Lets go of the JSON; whoever needs it has it made again.
    func dropContent() {
        json = nil
        encodedAt = nil
    }

    /// Begins anew, with a state of which nothing is known yet.
    func begin(at version: UInt64) {
        dropContent()
        frames = .init()
        lastChange = version
        lastID = 0
    }

    /// Takes a watcher in.
    func add(_ watcher: Watcher) {
        watcher.index = watchers.count
        watchers.append(watcher)
    }

    /// Lets a watcher go, the last one taking its place: nobody has to be looked for.
    func remove(_ watcher: Watcher) -> Bool {
        let index = watcher.index
        guard index < watchers.count, watchers[index] === watcher else { return false }
        watchers.swapAt(index, watchers.count - 1)
        watchers[index].index = index
        watchers.removeLast()
        return true
    }

    /// Whether nobody watches or waits.
    var isUnused: Bool { watchers.isEmpty && waiters.isEmpty }

    /// A part of the state, found in its JSON.
    var isPart: Bool {
        if case .part = kind { true } else { false }
    }

    /// A view, which the application computes.
    var isView: Bool {
        if case .view = kind { true } else { false }
    }
}

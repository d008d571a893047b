import Bytes
import HTTPMessages

/// The thing that a path names.
enum RequestedResource {
    /// `M/sessions`
    case sessions(mount: Int)
    /// `M/sessions/{id}`, or a resource below it.
    case session(mount: Int, id: Slice, SessionResource)
    /// `/livez` and its like.
    case operation(Operation)
    /// `/problems/{code}`
    case problem(code: Slice)
    /// A route of the application's own: its place in the table.
    case own(Int)
    /// Anything else: a file, perhaps.
    case other

    /// The resources below a session.
    enum SessionResource: CaseIterable {
        case description, state, actions, events, log, recording, replay
        /// Nothing that exists.
        case unknown

        fileprivate var template: String {
            switch self {
            case .description: ""
            case .state: "/state"
            case .actions: "/actions"
            case .events: "/events"
            case .log: "/log"
            case .recording: "/recording"
            case .replay: "/replay"
            case .unknown: "/{unknown}"
            }
        }
    }

    /// The resources for operators.
    enum Operation: CaseIterable {
        case alive, ready, metrics
    }

    /// Finds the resource without making a string; `mounts` hold their prefixes' bytes.
    static func find(
        _ path: Slice, in bytes: Span<UInt8>, mounts: [[UInt8]], _ table: RouteTable
    ) -> RequestedResource {
        for index in mounts.indices {
            guard let rest = rest(of: path, behind: mounts[index], in: bytes),
                let inner = Self.rest(of: rest, behind: sessions, in: bytes)
            else { continue }
            if inner.isEmpty { return .sessions(mount: index) }
            guard bytes[inner.range.lowerBound] == slash else { continue }
            return session(index, Slice(inner.range.dropFirst()), in: bytes)
        }
        if isEqual(path, livez, in: bytes) { return .operation(.alive) }
        if isEqual(path, readyz, in: bytes) { return .operation(.ready) }
        if isEqual(path, metrics, in: bytes) { return .operation(.metrics) }
        if let code = rest(of: path, behind: problems, in: bytes), !code.isEmpty {
            return .problem(code: code)
        }
        return table.find(path, in: bytes).map { .own($0) } ?? .other
    }

    /// The resource as a template, `/counter/sessions/{id}/actions`; `mounts` are the prefixes,
    /// `table` holds the paths of own routes.
    func template(mounts: [[UInt8]], _ table: RouteTable) -> String {
        switch self {
        case .sessions(let mount): String(decoding: mounts[mount], as: UTF8.self) + "/sessions"
        case .session(let mount, _, let resource):
            String(decoding: mounts[mount], as: UTF8.self) + "/sessions/{id}" + resource.template
        case .operation(.alive): "/livez"
        case .operation(.ready): "/readyz"
        case .operation(.metrics): "/metrics"
        case .problem: "/problems/{code}"
        case .own(let place): table[place].path.text
        case .other: "/{file}"
        }
    }

    private static func session(_ mount: Int, _ rest: Slice, in bytes: Span<UInt8>)
        -> RequestedResource
    {
        var end = rest.range.lowerBound
        while end < rest.range.upperBound, bytes[end] != slash { end += 1 }
        let id = Slice(rest.range.lowerBound..<end)
        let tail = Slice(end..<rest.range.upperBound)
        return .session(mount: mount, id: id, resource(tail, in: bytes))
    }

    private static func resource(_ tail: Slice, in bytes: Span<UInt8>) -> SessionResource {
        if tail.isEmpty { return .description }
        if isEqual(tail, actions, in: bytes) { return .actions }
        if isEqual(tail, events, in: bytes) { return .events }
        if isEqual(tail, state, in: bytes) { return .state }
        if isEqual(tail, log, in: bytes) { return .log }
        if isEqual(tail, recording, in: bytes) { return .recording }
        if isEqual(tail, replay, in: bytes) { return .replay }
        return .unknown
    }

    /// The rest behind a prefix; nil where the path has another beginning.
    @inline(__always)
    private static func rest(
        of path: Slice, behind prefix: [UInt8], in bytes: Span<UInt8>
    ) -> Slice? {
        guard path.length >= prefix.count else { return nil }
        let end = path.range.lowerBound + prefix.count
        let beginning = bytes.extracting(path.range.lowerBound..<end)
        guard beginning.elementsEqual(prefix.span) else { return nil }
        return Slice(end..<path.range.upperBound)
    }

    @inline(__always)
    private static func isEqual(
        _ slice: Slice, _ text: [UInt8], in bytes: Span<UInt8>
    ) -> Bool {
        slice.length == text.count && rest(of: slice, behind: text, in: bytes) != nil
    }

    private static let slash = UInt8(ascii: "/")
    private static let sessions = Array("/sessions".utf8)
    private static let livez = Array("/livez".utf8)
    private static let readyz = Array("/readyz".utf8)
    private static let metrics = Array("/metrics".utf8)
    private static let problems = Array("/problems/".utf8)
    private static let actions = Array("/actions".utf8)
    private static let events = Array("/events".utf8)
    private static let state = Array("/state".utf8)
    private static let log = Array("/log".utf8)
    private static let recording = Array("/recording".utf8)
    private static let replay = Array("/replay".utf8)
}

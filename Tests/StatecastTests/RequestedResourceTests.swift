import HTTPMessages
import Testing

@testable import Statecast

@Suite struct `A path` {
    private let mounts = ["/counter/more", "/counter", ""].map { Array($0.utf8) }

    /// The route as a text: `state 1 demo`.
    private func route(_ path: String, mounts: [[UInt8]]? = nil) -> String {
        let bytes = Array("GET \(path)".utf8)
        let span = bytes.span
        switch RequestedResource.find(
            Slice(4..<bytes.count), in: span, mounts: mounts ?? self.mounts, RouteTable())
        {
        case .sessions(let mount): return "sessions \(mount)"
        case .session(let mount, let id, let resource):
            return "\(resource) \(mount) \(id.string(in: span))"
        case .operation(let operation): return "\(operation)"
        case .problem(let code): return "problem \(code.string(in: span))"
        case .own(let place): return "own \(place)"
        case .other: return "other"
        }
    }

    @Test(arguments: [
        ("/counter/sessions", "sessions 1"), ("/counter/more/sessions", "sessions 0"),
        ("/sessions", "sessions 2"), ("/counter/sessions/demo", "description 1 demo"),
        ("/counter/sessions/demo/state", "state 1 demo"),
        ("/counter/sessions/demo/actions", "actions 1 demo"),
        ("/counter/sessions/demo/events", "events 1 demo"),
        ("/counter/sessions/demo/log", "log 1 demo"),
        ("/counter/sessions/demo/recording", "recording 1 demo"),
        ("/counter/sessions/demo/replay", "replay 1 demo"),
        ("/sessions/demo/state", "state 2 demo"),
        ("/counter/sessions/demo/state/", "unknown 1 demo"),
        ("/counter/sessions/demo/states", "unknown 1 demo"),
        ("/counter/sessions/demo/", "unknown 1 demo"),
        ("/counter/sessions/", "description 1 "),
        ("/counter/sessionsx", "other"), ("/counterx/sessions", "other"),
        ("/livez", "alive"), ("/LIVEZ", "other"), ("/Metrics", "other"), ("/readyz", "ready"),
        ("/metrics", "metrics"),
        ("/problems/frozen", "problem frozen"), ("/problems/", "other"),
        ("/", "other"), ("/counter/", "other"), ("/counter", "other"),
    ])
    func `names a resource, or a file`(path: String, expected: String) {
        #expect(route(path) == expected)
    }

    @Test(arguments: [
        ("/counter/sessions", "/counter/sessions"), ("/sessions/demo", "/sessions/{id}"),
        ("/counter/more/sessions/demo/state", "/counter/more/sessions/{id}/state"),
        ("/counter/sessions/demo/actions", "/counter/sessions/{id}/actions"),
        ("/counter/sessions/demo/events", "/counter/sessions/{id}/events"),
        ("/counter/sessions/demo/log", "/counter/sessions/{id}/log"),
        ("/sessions/demo/recording", "/sessions/{id}/recording"),
        ("/sessions/demo/replay", "/sessions/{id}/replay"),
        ("/counter/sessions/demo/demo", "/counter/sessions/{id}/{unknown}"),
        ("/problems/frozen", "/problems/{code}"), ("/livez", "/livez"), ("/readyz", "/readyz"),
        ("/metrics", "/metrics"), ("/counter/", "/{file}"),
    ])
    func `is told to the log without what only its client knows`(path: String, template: String) {
        let bytes = Array("GET \(path)".utf8)
        let route = RequestedResource.find(
            Slice(4..<bytes.count), in: bytes.span, mounts: mounts, RouteTable())
        #expect(route.template(mounts: mounts, RouteTable()) == template)
    }

    @Test func `of a place where no application is names no session`() {
        #expect(route("/sessions/demo/state", mounts: [Array("/counter".utf8)]) == "other")
    }
}

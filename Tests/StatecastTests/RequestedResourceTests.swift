import HTTPMessages
import HTTPServer
import Testing

@testable import Statecast

@Suite struct `A path` {
    private let mounts = ["/counter/more", "/counter", ""].map { Array($0.utf8) }

    private func plan(_ path: String, mounts: [[UInt8]]? = nil) -> RequestPlan {
        let bytes = Array("GET \(path)".utf8)
        return RequestedResource.plan(
            Slice(4..<bytes.count), in: bytes.span, mounts: mounts ?? self.mounts, RouteTable())
    }

    /// The plan as a text: `state 1 demo`.
    private func told(_ path: String, mounts: [[UInt8]]? = nil) -> String {
        let plan = plan(path, mounts: mounts)
        let name = plan.name.string(in: Array("GET \(path)".utf8).span)
        if plan.resource.isOfSession { return "\(plan.resource) \(plan.place) \(name)" }
        switch plan.resource {
        case .sessions, .own: return "\(plan.resource) \(plan.place)"
        case .problem: return "problem \(name)"
        default: return "\(plan.resource)"
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
        ("/counter/sessionsx", "file"), ("/counterx/sessions", "file"),
        ("/livez", "alive"), ("/LIVEZ", "file"), ("/Metrics", "file"), ("/readyz", "ready"),
        ("/metrics", "metrics"),
        ("/problems/frozen", "problem frozen"), ("/problems/", "file"),
        ("/", "file"), ("/counter/", "file"), ("/counter", "file"),
    ])
    func `names a resource, or a file`(path: String, expected: String) {
        #expect(told(path) == expected)
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
        #expect(plan(path).template(mounts: mounts, RouteTable()) == template)
    }

    @Test func `of a place where no application is names no session`() {
        #expect(told("/sessions/demo/state", mounts: [Array("/counter".utf8)]) == "file")
    }
}

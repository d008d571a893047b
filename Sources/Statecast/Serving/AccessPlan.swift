import HTTPMessages
import HTTPServer

/// The access control of one server: which closure is asked about which request.
struct AccessPlan: Sendable {
    /// The server's own; nil where nothing asks.
    private let server: AccessControl?
    /// Those of the applications that have one, in the order of the registries.
    private let mounts: [AccessControl?]
    /// Their places.
    private let names: [String]
    /// Some application has its own.
    private let hasSpecial: Bool

    init(server: AccessControl?, mounts: [AccessControl?], names: [String]) {
        precondition(mounts.count == names.count, "Each application has a place.")
        self.server = server
        self.mounts = mounts
        self.names = names.map { $0.isEmpty ? "/" : $0 }
        hasSpecial = mounts.contains { $0 != nil }
    }

    /// The access control of an application; nil where nothing asks.
    func control(ofMount index: Int) -> AccessControl? {
        hasSpecial ? mounts[index] ?? server : server
    }

    /// The access control of a resource; nil where nothing asks.
    ///
    /// - Parameter access: the rule of an own route.
    func control(of resource: RequestedResource, _ access: Route.Access) -> AccessControl? {
        switch resource {
        case .session(let mount, _, _), .sessions(let mount): return control(ofMount: mount)
        case .operation, .problem, .own, .other: break
        }
        switch access {
        case .open: return nil
        case .asking(let authorize): return AccessControl(authorize)
        case .authorized: return server
        }
    }

    /// The application and the session that a resource belongs to.
    func subject(of resource: RequestedResource) -> AccessSubject {
        switch resource {
        case .session(let mount, let id, _): subject(ofMount: mount, id)
        case .sessions(let mount): subject(ofMount: mount, nil)
        case .operation, .problem, .own, .other: AccessSubject(mount: nil, session: nil)
        }
    }

    /// An application, and one of its sessions.
    func subject(ofMount index: Int, _ session: Slice?) -> AccessSubject {
        AccessSubject(mount: names[index], session: session)
    }

    /// Answers depend on who asks although most of the server's do not: Vary says so (RFC 9110
    /// §12.5.5).
    func isSpecial(_ control: AccessControl?) -> Bool { server == nil && control != nil }
}

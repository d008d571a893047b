/// An application and its place.
public struct Served: Sendable {
    let path: String
    /// The path, without a slash at its end.
    let name: String
    /// Decides about requests to the application; nil: the server's `authorize` does.
    let access: (@Sendable (AccessRequest) -> Access)?
    /// The role that makes sessions.
    let maker: String
    let mount: @Sendable () throws -> any MountedApplication
    /// Clients reach the application; other servers, and the code of this one, always do.
    private(set) var isReachable = true

    /// Serves an application under a path: `/counter`, or `/` for the only one.
    ///
    /// - Parameters:
    ///   - middleware: stands around the reducer of every session, in its order.
    ///   - options: what its sessions need beside the application.
    ///   - access: decides about requests to the application's sessions in place of
    ///     ``ServerConfiguration/authorize``, on the loop that answers them, and must not wait.
    ///   - maker: the role that makes its sessions by PUT and POST, one of the server's or of your own:
    ///     `admin`, `seller`. With `observe`, whoever sees one may make one.
    ///   - environment: the clocks of its steps, work and effects; the machine's where there is none.
    ///     A test gives one that it moves by hand: then `step.at` of posted actions is its time, too.
    @inlinable
    public init<App: Application>(
        _ path: String, _ application: App,
        middleware: [Middleware<App.State, App.Action>] = [],
        options: SessionOptions<App.State, App.Action> = .init(),
        access: (@Sendable (AccessRequest) -> Access)? = nil, maker: String = "act",
        environment: Environment? = nil
    ) {
        self.init(path, application, middleware, options, access, maker, environment) {
            () throws(ActionCoderError) in
            try ApplicationCode(application)
        }
    }

    @usableFromInline
    init<App: Application>(
        _ path: String, _ application: App,
        _ middleware: [Middleware<App.State, App.Action>],
        _ options: SessionOptions<App.State, App.Action>,
        _ access: (@Sendable (AccessRequest) -> Access)?, _ maker: String,
        _ environment: Environment?,
        _ compile: @escaping @Sendable () throws(ActionCoderError) -> ApplicationCode<App>
    ) {
        self.path = path
        self.access = access
        self.maker = maker
        let name = path == "/" ? "" : path
        self.name = name
        mount = {
            let code: ApplicationCode<App>
            do throws(ActionCoderError) {
                code = try compile()
            } catch {
                throw ServerError.badActions(mount: path, "\(error)")
            }
            let facts = SessionFactCoder(code.coder)
            if let fault = facts?.fault { throw ServerError.badActions(mount: path, fault) }
            if let fault = StateCheck.fault(of: App.State.self) {
                throw ServerError.badState(mount: path, fault)
            }
            let views = application.views
            if let fault = views.fault {
                throw ServerError.badViews(mount: path, fault)
            }
            if let fault = options.fault(code.coder, application.initialState) {
                throw ServerError.badOptions(mount: path, fault)
            }
            return ApplicationDefinition(
                name: name, application: application, code: code, views: views,
                middleware: options.newest(code.coder) + middleware, options: options,
                givenEnvironment: environment, facts: facts,
                schema: SchemaDocument(
                    of: application, code.coder, views, examples: options.examples, at: path))
        }
    }

    /// Serves an application to the server's own code alone: no path of a request begins without a slash.
    init<App: Application>(unreachable name: String, _ application: App, schema: Schema) {
        let lifetime = Duration.seconds(100 * 366 * 24 * 3600)
        self.init(name, application, options: SessionOptions(schema: schema, lifetime: lifetime))
        isReachable = false
    }

    /// A slash and characters that need no encoding, no slash at the end; a name without any where
    /// no client reaches it.
    var isWellFormed: Bool {
        guard isReachable else { return SessionID(path) != nil }
        guard path.first == "/", path == "/" || path.last != "/" else { return false }
        return path.utf8.allSatisfy { $0 == UInt8(ascii: "/") || SessionID.isAllowed($0) }
    }
}

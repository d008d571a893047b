import Redux
import Sockets

/// The parts that all sessions of one mounted application share.
struct ApplicationDefinition<App: Application>: Sendable {
    let application: App
    let code: ApplicationCode<App>
    let views: Views<App.State>
    /// Around the reducer, in their order.
    let middleware: [Middleware<App.State, App.Action>]
    let options: SessionOptions<App.State, App.Action>
    private(set) var environment: Environment
    /// The way to tell the application what becomes of its sessions; nil: it does not ask.
    let facts: SessionFactCoder<App.Action>?

    init(
        _ application: App, _ code: ApplicationCode<App>,
        _ middleware: [Middleware<App.State, App.Action>],
        _ options: SessionOptions<App.State, App.Action>,
        facts: SessionFactCoder<App.Action>?, environment: Environment
    ) {
        self.application = application
        self.environment = environment
        self.code = code
        self.options = options
        self.facts = facts
        self.middleware = middleware
        views = application.views
    }

    /// The same for the sessions of a server, whose work reaches others.
    func reaching(_ sessions: Sessions) -> ApplicationDefinition {
        var definition = self
        definition.environment.surround = { sessions.used(in: CallingWork($0)) }
        return definition
    }
}

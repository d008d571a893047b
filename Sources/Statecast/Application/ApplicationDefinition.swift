import Redux
import Sockets

/// The parts that all sessions of one mounted application share.
struct ApplicationDefinition<App: Application>: Sendable {
    let application: App
    let code: ApplicationCode<App>
    let views: Views<App.State>
    /// Around the reducer, in their order.
    let middleware: [Middleware<App.State, App.Action>]
    let environment: Environment

    init(
        _ application: App, _ code: ApplicationCode<App>,
        _ middleware: [Middleware<App.State, App.Action>], environment: Environment
    ) {
        self.application = application
        self.environment = environment
        self.code = code
        self.middleware = middleware
        views = application.views
    }
}

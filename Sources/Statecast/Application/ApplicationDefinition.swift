import Sockets

/// The parts that all sessions of one mounted application share.
struct ApplicationDefinition<App: Application>: Sendable {
    let application: App
    let code: ApplicationCode<App>
    let views: Views<App.State>
    let environment: Environment

    init(_ application: App, _ code: ApplicationCode<App>, environment: Environment) {
        self.application = application
        self.environment = environment
        self.code = code
        views = application.views
    }
}

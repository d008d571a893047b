import Redux
import Statecast

/// The beginning of a test: the state that the test gives, or that of a new session.
struct TestBeginning<App: Application> {
    let state: App.State
    /// The sentence that says why the application does not begin a session with this input.
    private(set) var fault: String?

    /// - Parameters:
    ///   - state: given by the test; nil: the application begins.
    ///   - principal: has the session made.
    ///   - environment: that of the store, whose ids go on with those that are made here.
    init(
        _ application: App, _ state: App.State?, input: App.Input?, of session: SessionID,
        by principal: Principal, in environment: Environment
    ) {
        if let state {
            self.state = state
            return
        }
        var new = application.initialState
        do throws(Rejection) {
            try application.start(
                &new, with: input,
                .beginning(session, epoch: "test", by: principal, in: environment))
        } catch {
            fault = "The session was not begun: \"\(error.code)\": \(error.message)"
        }
        self.state = fault == nil ? new : application.initialState
    }
}

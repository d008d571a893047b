import HTTPServer
import Redux

/// The wishes of a POST about its answer.
struct ActionRequest {
    var exchange: Exchange
    /// The answer is the state, as this principal sees it; nil for the outcome alone.
    var viewer: Principal?
    /// The answer waits so long for the effects of the actions.
    var settle: Duration?
}

import HTTPServer

/// The wishes of a POST about its answer.
struct ActionRequest {
    var exchange: Exchange
    /// The answer is the state.
    var returnsState = false
    /// The answer waits so long for the effects of the actions.
    var settle: Duration?
}

import Statecast

/// The stage of a fetch: `{"idle":{}}`, `{"inFlight":12}` or `{"failed":"…"}`.
///
/// The request's number lets only the latest answer count.
package enum Loading: StateValue {
    case idle
    case inFlight(Int)
    case failed(String)

    /// The number of the request under way.
    package var request: Int? {
        if case .inFlight(let request) = self { request } else { nil }
    }

    /// True where the last fetch ended with an error.
    package var hasFailed: Bool {
        if case .failed = self { true } else { false }
    }
}

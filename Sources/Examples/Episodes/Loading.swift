/// How a fetch stands: `{"idle":{}}`, `{"inFlight":12}` or `{"failed":"…"}`.
///
/// The request's number lets only the latest answer count.
public enum Loading: Codable, Equatable, Sendable {
    case idle
    case inFlight(Int)
    case failed(String)

    /// The number of the request under way.
    public var request: Int? {
        if case .inFlight(let request) = self { request } else { nil }
    }

    /// Whether an earlier fetch ended with an error.
    public var hasFailed: Bool {
        if case .failed = self { true } else { false }
    }
}

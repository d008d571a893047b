/// A value that is elsewhere, and the stage of fetching it.
///
/// As JSON `{"status":"loading","value":…,"problem":{…}}`; what is absent is left out.
public enum Loadable<Value: StateValue>: StateValue {
    case idle
    /// It is being fetched; the value is the one fetched before.
    case loading(Value?)
    case loaded(Value)
    /// It could not be fetched; the value is the one fetched before.
    case failed(Problem, Value?)

    /// It is being fetched.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// The value that was fetched last.
    public var value: Value? {
        switch self {
        case .idle: nil
        case .loading(let value), .failed(_, let value): value
        case .loaded(let value): value
        }
    }

    /// The reason why it could not be fetched.
    public var problem: Problem? {
        if case .failed(let problem, _) = self { problem } else { nil }
    }

    /// Begins to fetch it, and keeps what was fetched before.
    public mutating func load() { self = .loading(value) }

    /// Ends fetching it; what was fetched before stays beside a problem.
    public mutating func finish(_ answer: Answer<Value>) {
        switch answer {
        case .value(let value): self = .loaded(value)
        case .problem(let problem): self = .failed(problem, value)
        }
    }
}

extension Loadable {
    private enum Status: String, Codable { case idle, loading, loaded, failed }
    private enum CodingKeys: CodingKey { case status, value, problem }

    /// Reads `{"status":…,"value":…,"problem":…}`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        switch try members.decode(Status.self, forKey: .status) {
        case .idle: self = .idle
        case .loading: self = .loading(try members.decodeIfPresent(Value.self, forKey: .value))
        case .loaded: self = .loaded(try members.decode(Value.self, forKey: .value))
        case .failed:
            self = .failed(
                try members.decode(Problem.self, forKey: .problem),
                try members.decodeIfPresent(Value.self, forKey: .value))
        }
    }

    /// Writes `{"status":…,"value":…,"problem":…}`.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(status, forKey: .status)
        try members.encodeIfPresent(value, forKey: .value)
        try members.encodeIfPresent(problem, forKey: .problem)
    }

    private var status: Status {
        switch self {
        case .idle: .idle
        case .loading: .loading
        case .loaded: .loaded
        case .failed: .failed
        }
    }
}

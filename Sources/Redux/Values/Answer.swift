/// The end of a piece of work: its value, or the problem that was left after the last try.
///
/// As JSON `{"value":…}` or `{"problem":{"code":"failed","message":"…"}}`. An action that carries an
/// answer is a fact: only the server says it.
public enum Answer<Value: StateValue>: StateValue {
    case value(Value)
    case problem(Problem)

    /// The value; nil where there is a problem.
    public var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    /// The problem; nil where there is a value.
    public var problem: Problem? {
        if case .problem(let problem) = self { problem } else { nil }
    }
}

extension Answer: ServerSaid {
    private enum CodingKeys: CodingKey { case value, problem }

    /// Reads `{"value":…}` or `{"problem":{…}}`, though never from what a client has posted.
    public init(from decoder: any Decoder) throws {
        try Self.refuseClients(of: decoder)
        let members = try decoder.container(keyedBy: CodingKeys.self)
        guard members.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "An answer has a value or a problem."))
        }
        self =
            members.contains(.value)
            ? .value(try members.decode(Value.self, forKey: .value))
            : .problem(try members.decode(Problem.self, forKey: .problem))
    }

    /// Writes `{"value":…}` or `{"problem":{…}}`.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .value(let value): try members.encode(value, forKey: .value)
        case .problem(let problem): try members.encode(problem, forKey: .problem)
        }
    }
}

/// The value of work that has none: it is done.
public struct Done: StateValue, Hashable {
    /// The one value.
    public init() {}

    @usableFromInline
    init(after _: Void) {}
}

/// The failure of work, as clients may see it: a stable code for programs, and a sentence for people.
///
/// An operation that throws one has it shown as it is; another error is shown as ``failed``.
public struct Problem: Error, StateValue, Hashable {
    /// Stable and in kebab case: `"card-declined"`.
    public var code: String
    /// A sentence for people.
    public var message: String

    /// A problem.
    public init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Work has thrown an error that tells clients nothing.
    public static let failed = Problem("failed", "It did not work.")
    /// Work has taken longer than it may.
    public static let timedOut = Problem("timed-out", "It took too long.")
}

extension Problem: ServerSaid {
    /// Reads `{"code":…,"message":…}`, though never from what a client has posted.
    public init(from decoder: any Decoder) throws {
        try Self.refuseClients(of: decoder)
        let members = try decoder.container(keyedBy: CodingKeys.self)
        code = try members.decode(String.self, forKey: .code)
        message = try members.decode(String.self, forKey: .message)
    }
}

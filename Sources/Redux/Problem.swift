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
    private enum CodingKeys: CodingKey { case code, message }

    /// Reads `{"code":…,"message":…}`, though never from what a client has posted.
    public init(from decoder: any Decoder) throws {
        try Self.refuseClients(of: decoder)
        let members = try decoder.container(keyedBy: CodingKeys.self)
        code = try members.decode(String.self, forKey: .code)
        message = try members.decode(String.self, forKey: .message)
    }
}

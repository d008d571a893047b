public import StateCoding

/// A whole answer, as a client sees it.
public struct TestAnswer: Sendable {
    /// The number of the status.
    public var status: Int
    /// The fields, names in lower case.
    public var fields: [String: String]
    /// The content.
    public var body: String

    /// The tag without quotation marks, weak or not.
    public var etag: String? {
        fields["etag"].map { $0.filter { $0 != "\"" }.replacing("W/", with: "") }
    }

    /// Whether it is 200 to 299.
    public var isSuccess: Bool { (200...299).contains(status) }

    /// The code of the problem that it tells of (RFC 9457), which is stable: the reducer's code
    /// where an action was rejected.
    public var problem: String? {
        guard let problem = try? decoded(as: Problem.self) else { return nil }
        return problem.type.split(separator: "/").last.map(String.init)
    }

    private struct Problem: Decodable {
        var type: String
    }

    /// The content as a value; throws where it is none.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self
    ) throws(DecodingFailure) -> Value {
        let bytes = Array(body.utf8)
        return try StateDecoder().decode(Value.self, from: bytes.span)
    }

    /// The content as a document; throws where it is no JSON.
    public func json() throws(DecodingFailure) -> JSONDocument {
        let bytes = Array(body.utf8)
        return try JSONDocument(parsing: bytes.span)
    }
}

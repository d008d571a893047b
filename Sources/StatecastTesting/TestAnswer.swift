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

    /// The content as a document; throws where it is no JSON.
    public func json() throws(DecodingFailure) -> JSONDocument {
        let bytes = Array(body.utf8)
        return try JSONDocument(parsing: bytes.span)
    }
}

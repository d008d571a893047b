internal import Gzip
public import HTTPTypes

/// A whole answer of an outside server.
public struct OutboundResponse: Sendable {
    /// Of the final answer: interim ones (1xx) are passed over.
    public var status: HTTPResponse.Status
    /// In the order received. Where the body came gzip-coded, `Content-Encoding` and
    /// `Content-Length` are left out, because they do not describe `body`.
    public var fields: HTTPFields
    /// The content, decoded.
    public var body: [UInt8]

    /// An answer by hand, for tests of code that takes one.
    public init(status: HTTPResponse.Status, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

extension OutboundResponse {
    /// The response with its body's gzip coding undone (RFC 9110 §8.4), which may not grow beyond
    /// `limit`. Other codings were not asked for and are left to the caller.
    func decoded(limit: Int) throws(HTTPClientError) -> OutboundResponse {
        let coding = fields[.contentEncoding]?.lowercased()
        guard !body.isEmpty, coding == "gzip" || coding == "x-gzip" else { return self }
        var response = self
        do {
            response.body = try gunzip(body.span, limit: limit)
        } catch .tooLong {
            throw .responseTooLarge(limit: limit)
        } catch {
            throw .malformedResponse(detail: "gzip: \(error)")
        }
        response.fields[.contentEncoding] = nil
        response.fields[.contentLength] = nil
        return response
    }
}

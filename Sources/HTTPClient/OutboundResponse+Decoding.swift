internal import Gzip
internal import HTTPTypes

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

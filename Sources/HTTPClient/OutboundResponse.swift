package import HTTPTypes

/// A whole answer of an outside server.
package struct OutboundResponse: Sendable {
    /// Of the final answer: interim ones (1xx) are passed over.
    package var status: HTTPResponse.Status
    /// In the order received. Where the body came gzip-coded, `Content-Encoding` and
    /// `Content-Length` are left out, because they do not describe `body`.
    package var fields: HTTPFields
    /// The content, decoded.
    package var body: [UInt8]

    /// An answer by hand, for tests of code that takes one.
    package init(status: HTTPResponse.Status, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

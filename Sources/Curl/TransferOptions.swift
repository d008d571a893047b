/// A transfer's request and its times: plain values for `EasyHandle`.
package struct TransferOptions: Sendable {
    /// Absolute, `http:` or `https:`.
    package var url: String
    /// A token of RFC 9110 §9.1.
    package var method: String
    /// Names and values without CR, LF and NUL.
    package var fields: [(name: String, value: String)] = []
    /// nil: no body and no Content-Length.
    package var body: [UInt8]?
    /// Until the connection stands.
    package var connectTimeout: Duration
    /// From the start to the last byte.
    package var totalTimeout: Duration
    /// 0: a 3xx is the answer.
    package var redirectLimit = 0

    /// The request may be sent a second time. libcurl does so when a reused connection ends before
    /// the answer begins; one that may not goes over a new connection, where libcurl never does.
    package var isRepeatable = true

    /// A transfer without fields, body and redirects.
    package init(url: String, method: String, connectTimeout: Duration, totalTimeout: Duration) {
        self.url = url
        self.method = method
        self.connectTimeout = connectTimeout
        self.totalTimeout = totalTimeout
    }
}

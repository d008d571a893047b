/// What one transfer sends, and its times: plain values for `EasyHandle`.
public struct TransferOptions: Sendable {
    /// Absolute, `http:` or `https:`.
    public var url: String
    /// A token of RFC 9110 §9.1.
    public var method: String
    /// Names and values without CR, LF and NUL.
    public var fields: [(name: String, value: String)] = []
    /// nil: no body and no Content-Length.
    public var body: [UInt8]?
    /// Until the connection stands.
    public var connectTimeout: Duration
    /// From the start to the last byte.
    public var totalTimeout: Duration
    /// 0: a 3xx is the answer.
    public var redirectLimit = 0

    /// Whether it may be sent a second time. libcurl does so when a reused connection ends before
    /// the answer begins; one that may not goes over a new connection, where libcurl never does.
    public var isRepeatable = true

    /// A transfer without fields, body and redirects.
    public init(url: String, method: String, connectTimeout: Duration, totalTimeout: Duration) {
        self.url = url
        self.method = method
        self.connectTimeout = connectTimeout
        self.totalTimeout = totalTimeout
    }
}

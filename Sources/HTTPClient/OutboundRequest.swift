public import HTTPTypes

/// One request to an outside server.
///
///     var request = OutboundRequest(url: "http://127.0.0.1:8081/episodes?query=tin")
///     request.totalTimeout = .seconds(3)
///     let response = try await client.execute(request)
public struct OutboundRequest: Sendable {
    /// GET, unless said otherwise.
    public var method: HTTPRequest.Method
    /// An absolute `http:` or `https:` URL, percent-encoded where needed.
    public var url: String
    /// Sent as they are. `Host`, `Content-Length`, `Accept-Encoding` and `Connection` are the
    /// client's own.
    public var fields: HTTPFields
    /// Sent with a Content-Length if it is not empty, or if the method is POST, PUT or PATCH.
    public var body: [UInt8]
    /// In place of the configuration's.
    public var totalTimeout: Duration?
    /// On behalf of whom the request is made, a session for instance: owners take turns, and each
    /// has a share of the client's transfers. Nil for the program's own requests.
    public var owner: String?
    /// The most redirects that are followed, 0 by default: a 3xx is an answer like any other.
    public var redirectLimit = 0

    /// A request with the configuration's timeouts.
    public init(
        method: HTTPRequest.Method = .get, url: String, fields: HTTPFields = [:],
        body: [UInt8] = []
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }
}

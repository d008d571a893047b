internal import Curl
internal import HTTPTypes

extension OutboundRequest {
    /// The fields that the client sets itself.
    private static let ownFields: Set<HTTPField.Name> = [
        .acceptEncoding, .connection, .contentLength, .expect, .transferEncoding,
    ]

    /// Those that may be repeated without being asked (RFC 9110 §9.2.2).
    private static let idempotentMethods: Set<HTTPRequest.Method> = [
        .get, .head, .put, .delete, .options, .trace,
    ]

    /// The request in libcurl's terms.
    func options(
        configuration: HTTPClientConfiguration, timeLeft: Duration
    ) throws(HTTPClientError) -> TransferOptions {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        guard scheme == "http" || scheme == "https",
            url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f })
        else { throw .invalidURL(url) }
        var options = TransferOptions(
            url: url, method: method.rawValue, connectTimeout: configuration.connectTimeout,
            totalTimeout: timeLeft)
        options.redirectLimit = redirectLimit
        options.isRepeatable = Self.idempotentMethods.contains(method)
        options.fields = fields.filter {
            !Self.ownFields.contains($0.name) && $0.name.rawName != "Host"
        }
        .map { ($0.name.rawName, $0.value) }
        options.fields.append(("Accept-Encoding", "gzip"))
        if fields[.userAgent] == nil {
            options.fields.append(("User-Agent", configuration.userAgent))
        }
        let takesBody: Set<HTTPRequest.Method> = [.post, .put, .patch]
        if !body.isEmpty || takesBody.contains(method) { options.body = body }
        return options
    }
}

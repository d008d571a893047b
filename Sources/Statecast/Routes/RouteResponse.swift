public import HTTPTypes
public import StateCoding

/// The answer of a ``Route``.
///
///     RouteResponse(.noContent)
///     try RouteResponse.json(["id": "7"])
///     RouteResponse.redirect(to: "/")
///
/// A handler that throws answers by a problem document (RFC 9457): a `Rejection` by its own, the
/// error of ``RouteRequest/decode(_:)`` by 400 or 422, and any other error by 500 without its text,
/// which is logged.
///
/// The server adds what it adds to every answer (Date, `X-Content-Type-Options`, the fields of
/// ``CORS``) and frames the body. Where the response does not say otherwise it is not stored
/// (`Cache-Control: no-store`), runs nothing (`Content-Security-Policy`) and tells its address to no
/// other origin (`Referrer-Policy`). One that sets a field of the server's, or has a body where its
/// status has none, is not sent: the client gets 500, the log the reason.
public struct RouteResponse: Sendable {
    /// 200 to 599.
    public var status: HTTPResponse.Status
    /// The fields; several of one name stay several, `Set-Cookie` for instance.
    public var headerFields: HTTPFields
    /// The content; none for 204, 205 and 304.
    public var body: [UInt8]
    /// The reason why this is no response, where that was seen when it was made.
    let fault: String?

    /// A response with these fields and this content, whose media type is among the fields.
    public init(
        _ status: HTTPResponse.Status, headerFields: HTTPFields = [:], body: [UInt8] = []
    ) {
        self.init(status, headerFields, body, fault: nil)
    }

    private init(
        _ status: HTTPResponse.Status, _ headerFields: HTTPFields, _ body: [UInt8], fault: String?
    ) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
        self.fault = fault
    }

    /// A value as JSON, encoded as states are.
    public static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok
    ) throws(EncodingFailure) -> RouteResponse {
        var body: [UInt8] = []
        try StateEncoder().encode(value, into: &body)
        return RouteResponse(
            status, headerFields: [.contentType: "application/json"], body: body)
    }

    /// Another address, relative or absolute. With 303, the default, the client gets it by GET.
    public static func redirect(
        to location: String, status: HTTPResponse.Status = .seeOther
    ) -> RouteResponse {
        // What a field cannot hold would be replaced by spaces, and lead elsewhere.
        let isAddress = location.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return RouteResponse(
            status, [.location: location], [],
            fault: isAddress && !location.isEmpty ? nil : "its address is not percent-encoded")
    }
}

import Bytes
import HTTPMessages
import HTTPServer
public import HTTPTypes
import Sockets
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
    private var fault: String?

    /// A response with these fields and this content, whose media type is among the fields.
    public init(
        _ status: HTTPResponse.Status, headerFields: HTTPFields = [:], body: [UInt8] = []
    ) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }

    /// A value as JSON, encoded as states are.
    public static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok
    ) throws(EncodingFailure) -> RouteResponse {
        RouteResponse(
            status, headerFields: [.contentType: "application/json"],
            body: try StateEncoder().bytes(of: value))
    }

    /// Another address, relative or absolute. With 303, the default, the client gets it by GET.
    public static func redirect(
        to location: String, status: HTTPResponse.Status = .seeOther
    ) -> RouteResponse {
        var response = RouteResponse(status, headerFields: [.location: location])
        // What a field cannot hold would be replaced by spaces, and lead elsewhere.
        if location.isEmpty || !location.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            response.fault = "its address is not percent-encoded"
        }
        return response
    }
}

extension RouteResponse {
    /// The fields that say how an answer is framed, and those that the server gives every answer.
    private static let reserved: Set<String> = [
        "connection", "content-length", "cross-origin-resource-policy", "date", "keep-alive",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "x-content-type-options",
    ]

    /// The reason why the response is not sent: something in it could end the head, or say where the
    /// body ends (RFC 9112 §11.1).
    var refusal: String? {
        let code = status.code
        if let fault { return fault }
        guard (200...599).contains(code) else { return "\(code) is no status of an answer" }
        guard body.isEmpty || ![204, 205, 304].contains(code) else {
            return "an answer of status \(code) has no body"
        }
        for field in headerFields where field.name != .vary {
            let name = field.name.canonicalName
            if HTTPField.Name(name) == nil { return "a field has a name that is no token" }
            if Self.reserved.contains(name) { return "the server alone sets \(field.name)" }
            if name.hasPrefix("access-control-") {
                return "\(field.name) follows from ServerConfiguration.cors alone"
            }
            if !HTTPField.isValidValue(field.value) {
                return "the value of \(field.name) is none"
            }
        }
        return nil
    }

    /// A picture or a page that is opened by itself runs nothing, unless the handler says more.
    private static let defaults = [
        ("Cache-Control", "no-store"), ("Referrer-Policy", "same-origin"),
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox"),
    ]

    /// Answers a request by a response that has no `refusal`.
    func respond(to exchange: Exchange, on loop: isolated EventLoop) {
        func fill(_ writer: inout ResponseWriter) {
            for field in headerFields where field.name != .vary {
                writer.field(field.name.rawName, field.value)
            }
            for (name, value) in Self.defaults
            where !headerFields.contains(where: { $0.name.canonicalName == name.lowercased() }) {
                writer.field(name, value)
            }
            if !body.isEmpty, headerFields[.contentType] == nil {
                writer.field("Content-Type", "application/octet-stream")
            }
            let vary = headerFields[values: .vary].joined(separator: ", ")
            if !vary.isEmpty { writer.vary(by: vary) }
        }
        if body.isEmpty {
            exchange.respond(status: status.code, on: loop, fill)
        } else {
            exchange.respond(status: status.code, body: SharedBytes(body), on: loop, fill)
        }
    }
}

import Bytes
import HTTPMessages
import HTTPServer
import HTTPTypes
import Sockets

/// The response of a route, found fit to be sent: nothing in it can end the head, or say where the
/// body ends (RFC 9112 §11.1).
struct RouteAnswer: Sendable {
    /// The reason why a response is not sent.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    private let status: Int
    /// The lines of the fields, each with its end.
    private let lines: [UInt8]
    /// The names of the fields that the response depends on; empty for none.
    private let vary: String
    private let body: SharedBytes

    init(_ response: RouteResponse) throws(Fault) {
        if let fault = response.fault { throw Fault(description: fault) }
        let code = response.status.code
        guard (200...599).contains(code) else {
            throw Fault(description: "\(code) is no status of an answer")
        }
        guard response.body.isEmpty || ![204, 205, 304].contains(code) else {
            throw Fault(description: "an answer of status \(code) has no body")
        }
        var lines: [UInt8] = []
        for field in response.headerFields where field.name != .vary {
            try Self.check(field)
            Self.append(field.name.rawName, field.value, to: &lines)
        }
        for (name, value) in Self.defaults {
            let canonical = name.lowercased()
            if response.headerFields.contains(where: { $0.name.canonicalName == canonical }) {
                continue
            }
            Self.append(name, value, to: &lines)
        }
        if !response.body.isEmpty, response.headerFields[.contentType] == nil {
            Self.append("Content-Type", "application/octet-stream", to: &lines)
        }
        status = code
        self.lines = lines
        vary = response.headerFields[values: .vary].joined(separator: ", ")
        body = SharedBytes(response.body)
    }

    /// Answers a request.
    func respond(to exchange: Exchange, on loop: isolated EventLoop) {
        guard !body.isEmpty else {
            return exchange.respond(status: status, on: loop) { writer in
                writer.lines(lines)
                if !vary.isEmpty { writer.vary(by: vary) }
            }
        }
        exchange.respond(status: status, body: body, on: loop) { writer in
            writer.lines(lines)
            if !vary.isEmpty { writer.vary(by: vary) }
        }
    }

    // MARK: Fields

    /// A picture or a page that is opened by itself runs nothing, unless the handler says more.
    private static let defaults = [
        (name: "Cache-Control", value: "no-store"),
        (name: "Referrer-Policy", value: "same-origin"),
        (
            name: "Content-Security-Policy",
            value: "default-src 'none'; frame-ancestors 'none'; sandbox"
        ),
    ]

    /// The fields that say how an answer is framed, and those that the server gives every answer.
    private static let reserved: Set<String> = [
        "connection", "content-length", "cross-origin-resource-policy", "date", "keep-alive",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "x-content-type-options",
    ]

    private static func check(_ field: HTTPField) throws(Fault) {
        let name = field.name.canonicalName
        guard HTTPField.Name(name) != nil else {
            throw Fault(description: "a field has a name that is no token")
        }
        guard !reserved.contains(name) else {
            throw Fault(description: "the server alone sets \(field.name)")
        }
        guard !name.hasPrefix("access-control-") else {
            throw Fault(description: "\(field.name) follows from ServerConfiguration.cors alone")
        }
        guard HTTPField.isValidValue(field.value) else {
            throw Fault(description: "the value of \(field.name) is none")
        }
    }

    private static func append(_ name: String, _ value: String, to lines: inout [UInt8]) {
        lines.append(contentsOf: name.utf8)
        lines.append(contentsOf: ": ".utf8)
        lines.append(contentsOf: value.utf8)
        lines.append(contentsOf: "\r\n".utf8)
    }
}

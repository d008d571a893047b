import HTTPMessages
import HTTPServer

/// The origins whose pages may read the server's answers and send it requests (Fetch Standard §3.3).
///
///     configuration.cors = CORS(origins: ["https://app.example"], allowsCredentials: true)
///
/// Every answer to a page of such an origin then names it, errors and event streams too:
///
///     Access-Control-Allow-Origin: https://app.example
///     Access-Control-Allow-Credentials: true
///     Access-Control-Expose-Headers: ETag, Location, Retry-After, Idempotency-Replayed, Link, Date
///     Vary: Origin
///
/// A browser's question before a request (a *preflight*) is answered before access control is asked,
/// and holds for two hours.
public struct CORS: Sendable, Hashable {
    /// Each as browsers write it, in lower case: `https://app.example`, `http://localhost:5173`. Or
    /// `*` alone, which is any page, without credentials.
    public var origins: [String]
    /// Pages may have their browsers send cookies and read the answers. Where they may not, a request
    /// that changes something and has a cookie all the same is refused.
    public var allowsCredentials: Bool

    /// Shares the server with the pages of these origins; 250 at most.
    public init(origins: [String], allowsCredentials: Bool = false) {
        self.origins = origins
        self.allowsCredentials = allowsCredentials
    }

    /// Any page may read answers.
    private var isOpenToAll: Bool { origins.contains("*") }

    /// The fields of answers; throws where an origin is none, or all would have credentials.
    func makeSharing() throws(ServerError) -> OriginSharing {
        guard !origins.isEmpty, origins.count <= OriginSharing.originLimit else {
            throw .badOrigin(
                "\(origins.count) origins",
                "list 1 to \(OriginSharing.originLimit) of them, or set cors to nil")
        }
        guard !isOpenToAll || !allowsCredentials else {
            throw .badOrigin("*", "credentials are for origins that are listed by name")
        }
        guard !isOpenToAll || origins.count == 1 else {
            throw .badOrigin("*", "it stands for all origins: list it alone, or not at all")
        }
        if !isOpenToAll {
            for origin in origins {
                if let fault = Self.fault(of: origin) { throw .badOrigin(origin, fault) }
            }
        }
        return OriginSharing(
            isOpenToAll ? nil : origins, allowsCredentials: allowsCredentials,
            exposing: "ETag, Location, Retry-After, Idempotency-Replayed, Link, Date")
    }

    /// The reason why a browser would never send a text as its origin (RFC 6454 §6.2); nil for an
    /// origin.
    private static func fault(of origin: String) -> String? {
        if origin == "null" {
            return "any page in a sandbox has this origin, so it is never listed"
        }
        guard origin == origin.lowercased() else { return "an origin is written in lower case" }
        guard let parts = origin.wholeMatch(of: /(?s)([a-z][a-z0-9+.\-]*):\/\/(.*?)(?::([^:\]]*))?/)
        else { return "an origin is a scheme and a host, https://app.example" }
        let (_, scheme, host, port) = parts.output
        if let port {
            guard let number = UInt16(port), number > 0, String(number) == port else {
                return "its port is none"
            }
            if scheme == "https" && number == 443 || scheme == "http" && number == 80 {
                return "browsers leave out the port \(port)"
            }
        }
        // A name, or an IPv6 address in brackets.
        return host.wholeMatch(of: /[a-z0-9\-._]+|\[[0-9a-f:]+\]/) == nil
            ? "an origin ends with its host or port: no path, no user" : nil
    }
}

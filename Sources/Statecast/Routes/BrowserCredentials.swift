import HTTPTypes

/// The credentials that a browser adds to requests by itself, so that a page of any origin sends
/// those of whoever has opened it: cookies, and what was once typed into the browser's own question
/// (RFC 7617 §2.2, RFC 7616 §3.6, RFC 4559 §4.1).
enum BrowserCredentials {
    private static let schemes: Set<Substring> = ["basic", "digest", "negotiate", "ntlm"]

    /// The field holds such credentials.
    static func areSent(by field: HTTPField) -> Bool {
        switch field.name {
        case .cookie: true
        case .authorization: areRemembered(field.value)
        default: false
        }
    }

    /// A value of Authorization is one that browsers remember and send again.
    static func areRemembered(_ authorization: String) -> Bool {
        let scheme = authorization.lowercased().drop { $0 == " " }.prefix { $0 != " " }
        return schemes.contains(scheme)
    }
}

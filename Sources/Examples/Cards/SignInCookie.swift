/// The cookie of a sign-in: `cards=0f…`, for all paths: a moderator sees the timeline below `/inspect`, too.
package enum SignInCookie {
    private static let days = 30

    /// The value in a field Cookie, `a=1; cards=0f…`; nil where it has none.
    package static func value(in field: String?) -> String? {
        guard let field else { return nil }
        for pair in field.split(separator: ";") {
            let parts = pair.drop { $0 == " " }.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0] == "cards" { return String(parts[1]) }
        }
        return nil
    }

    /// The field Set-Cookie that gives a browser a cookie; nil takes it away.
    static func setting(_ value: String?, isSecure: Bool) -> String {
        let age = value == nil ? 0 : days * 24 * 60 * 60
        return "cards=\(value ?? ""); Path=/; HttpOnly; SameSite=Lax; Max-Age=\(age)"
            + (isSecure ? "; Secure" : "")
    }
}

import ArgumentParser
import ClientWire

/// Who asks: fields, a token and cookies, of which no secret stands in the arguments, where a shell's
/// history and the list of processes show it.
struct Credentials: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A field sent along: 'Name: value', or of a file, a line each; may be repeated.",
            valueName: "field|@file|@-"))
    var header: [String] = []

    @Option(help: "The file of a token, sent as Authorization: Bearer.", completion: .file())
    var tokenFile: String?

    @Option(help: "The file of cookies that curl -c has written.", completion: .file())
    var cookieJar: String?

    /// What may stand in an argument: no server takes a secret by these names.
    private static let open: Set<String> = [
        "accept-language", "forwarded", "from", "origin", "referer", "traceparent", "tracestate",
        "user-agent", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
        "x-request-id",
    ]

    func validate() throws {
        guard header.count(where: { $0 == "@-" }) <= 1 else {
            throw ValidationError("The input is read once: one --header @-.")
        }
        for text in header where !text.hasPrefix("@") {
            let name = try Self.field(text).name
            guard Self.open.contains(name) else {
                throw ValidationError(
                    "\(name) may be a secret, and an argument stays in the shell's history: use "
                        + "--token-file, or --header @FILE.")
            }
        }
    }

    /// All fields, for requests to an address.
    func fields(
        for address: Address, at seconds: Int, warn: (String) -> Void
    ) throws -> [String: String] {
        var fields: [String: String] = [:]
        for text in header {
            let lines = try lines(of: text, warn).map { try Self.field($0) }
            fields.merge(lines.map { ($0.name, $0.value) }) { $1 }
        }
        if let tokenFile {
            let text = try TextFile.secret(of: tokenFile, warn)
            let token = text.drop(while: \.isWhitespace).prefix { !$0.isWhitespace }
            guard !token.isEmpty else { throw MirrorProblem("no-file", "\(tokenFile) is empty.") }
            fields["authorization"] = try Self.field("authorization: Bearer \(token)").value
        }
        if let cookieJar {
            let jar = try TextFile.secret(of: cookieJar, warn)
            let cookies = Cookie.all(in: jar).filter { $0.isSent(to: address, at: seconds) }
            if !cookies.isEmpty {
                fields["cookie"] = cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
            }
        }
        let isSecret =
            tokenFile != nil || fields["cookie"] != nil || header.contains { $0.first == "@" }
        if isSecret, !address.isPrivate {
            warn("what is secret goes to \(address.host) by plain http, which others can read")
        }
        return fields
    }

    private func lines(of text: String, _ warn: (String) -> Void) throws -> [String] {
        guard text.hasPrefix("@") else { return [text] }
        let lines =
            text == "@-"
            ? TextFile.input()
            : TextFile.lines(in: try TextFile.secret(of: String(text.dropFirst()), warn))
        return lines.filter(TextFile.isText)
    }

    /// Fields that the commands set themselves.
    private static let own: Set<String> = [
        "accept", "connection", "content-length", "content-type", "host", "idempotency-key",
        "if-match", "last-event-id", "prefer", "transfer-encoding",
    ]

    private static func field(_ line: String) throws(ValidationError) -> (
        name: String, value: String
    ) {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0].lowercased()
        let isName =
            !name.isEmpty
            && name.allSatisfy {
                $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0))
            }
        guard parts.count == 2, isName, parts[1].utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
        else {
            throw ValidationError("A field is like 'Name: value'.")
        }
        guard !own.contains(name) else {
            throw ValidationError("\(name) is set by the command itself.")
        }
        return (name, String(parts[1].trimmingPrefix(while: \.isWhitespace)))
    }
}

/// A line of a file of cookies, in the form that Netscape has left behind.
struct Cookie {
    private let domain: String
    private let isForSubdomains: Bool
    private let path: String
    private let isSecure: Bool
    /// In seconds since 1970; 0: with the browser.
    private let expiry: Int
    let name: String
    let value: String

    static func all(in jar: String) -> [Cookie] {
        jar.split(whereSeparator: \.isNewline).compactMap { Cookie(line: $0) }
    }

    private init?(line: Substring) {
        let mark = "#HttpOnly_"
        let line = line.hasPrefix(mark) ? line.dropFirst(mark.count) : line
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard !line.hasPrefix("#"), parts.count == 7, let expiry = Int(parts[4]),
            line.utf8.allSatisfy({ $0 >= 0x20 || $0 == 0x09 }), !parts[5].isEmpty
        else { return nil }
        domain = parts[0].drop { $0 == "." }.lowercased()
        (isForSubdomains, isSecure) = (parts[1] == "TRUE", parts[3] == "TRUE")
        (path, name, value) = (parts[2], parts[5], parts[6])
        self.expiry = expiry
    }

    /// A browser would send it there (RFC 6265 §5.4).
    func isSent(to address: Address, at seconds: Int) -> Bool {
        let host = address.host.lowercased()
        let isOfHost = host == domain || isForSubdomains && host.hasSuffix("." + domain)
        let folder = path.hasSuffix("/") ? path : path + "/"
        return isOfHost && (expiry == 0 || expiry > seconds) && (!isSecure || address.isPrivate)
            && "\(address.path)/sessions/".hasPrefix(folder)
    }
}

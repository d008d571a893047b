internal import Bytes
internal import HTTPServer
internal import HTTPTypes
internal import Sodium
public import Statecast

/// Requests of another service, by whose signature the server knows that it has sent them: a webhook.
///
///     let hook = SignedHook("Payment-Signature", secrets: [Secret(secret)])
///     try await Server {
///         Served("/auctions", AuctionApplication())
///         hook.route("/hooks/payments") { request in
///             let payment: Payment = try request.decode()
///             let auction = try request.sessions.session(payment.auction, of: AuctionApplication.self)
///             try await auction.dispatch(.charged(payment.outcome), key: payment.id)
///             return RouteResponse(.noContent)
///         }
///     }.run()
///
/// The signature is an HMAC-SHA-256 (RFC 2104) in hexadecimal digits. With a tolerance it is over the
/// time of sending, in seconds since 1970, a dot, and the body, and the field has both; of several
/// signatures one is enough. Without, it is over the body alone:
///
///     Payment-Signature: t=1764150000,v1=5b1e…        over "1764150000." and the body
///     X-Hub-Signature-256: sha256=5b1e…               over the body
///
/// The body counts byte by byte, as it came; gzip is taken off before. A request that says nothing that
/// could be a signature is answered by 401 `unsigned`, one with a wrong signature by 403
/// `wrong-signature`, and one that was signed too long ago, or ahead of time, by 403 `late-signature`.
/// Within the tolerance a request can come twice: what it does is done once where its own id is the key
/// of the dispatch, an id in the body: the path and the query are not signed.
public struct SignedHook: Sendable {
    private let field: String
    private let secrets: [[UInt8]]
    private let tolerance: Duration?
    private let environment: Environment

    /// A hook that knows these secrets.
    ///
    /// - Parameters:
    ///   - field: the name of the field that has the signature.
    ///   - secrets: the keys; a signature by any of them counts, so that one can replace another while
    ///     both are in use. Where there is none, or one is empty, the server does not start.
    ///   - tolerance: the time of sending may be so far from now; nil: the field tells none.
    ///   - environment: the clock that tells what is now; the machine's where there is none.
    public init(
        _ field: String, secrets: [Secret<String>], tolerance: Duration? = .seconds(300),
        environment: Environment? = nil
    ) {
        self.field = field
        self.secrets = secrets.map { Array($0.value.utf8) }
        self.tolerance = tolerance
        self.environment = environment ?? .live
    }

    /// A route that hands on what is signed, and refuses all else before the handler runs.
    ///
    /// - Parameters:
    ///   - path: takes POST, with parameters as ``Route`` has them.
    ///   - bodyLimit: the bytes of a body; a larger one is answered by 413.
    ///   - accepting: the media types of a body.
    public func route(
        _ path: String, bodyLimit: Int = 64 << 10, accepting: [String] = ["application/json"],
        _ handle: @escaping Route.Handler
    ) -> Route {
        var route = Route(
            .post, path, bodyLimit: bodyLimit, accepting: accepting, callers: .anywhere,
            access: .open
        ) { request in
            let values = HTTPField.Name(field).map { request.head.headerFields[values: $0] } ?? []
            let now = environment.now()
            if let refusal = refusal(of: values, over: request.body, at: now) { throw refusal }
            return try await handle(request)
        }
        if HTTPField.Name(field) == nil { route.fault = "\(field) is no name of a field" }
        if secrets.isEmpty || secrets.contains([]) { route.fault = "a secret of the hook is empty" }
        return route
    }

    /// The field's value that signs a body by the first secret, for what sends such requests: a test, or a
    /// service of one's own.
    ///
    /// - Parameter time: nil: now.
    public func signature(of body: [UInt8], at time: Timestamp? = nil) -> String {
        let seconds = (time ?? environment.now()).milliseconds / 1_000
        let code = String(decoding: codes(of: body, at: seconds)[0], as: UTF8.self)
        return tolerance == nil ? "sha256=\(code)" : "t=\(seconds),v1=\(code)"
    }

    /// The hexadecimal digits that each secret makes of a body.
    private func codes(of body: [UInt8], at seconds: Int64) -> [[UInt8]] {
        let signed = tolerance == nil ? body : Array("\(seconds).".utf8) + body
        return secrets.map { secret in
            hmacSHA256(of: signed, by: secret).flatMap {
                [Hexadecimal.digit($0 >> 4), Hexadecimal.digit($0 & 0x0F)]
            }
        }
    }

    /// The reason for which a body is not handed on; nil where it is signed.
    ///
    /// - Parameter values: those of the field, of which there has to be one.
    func refusal(
        of values: [String], over body: [UInt8], at now: Timestamp
    ) -> ProblemDetails? {
        guard values.count == 1, let claim = Claim(values[0]),
            tolerance == nil || claim.seconds != nil
        else { return .unsigned(field) }
        let seconds = claim.seconds ?? 0
        let codes = codes(of: body, at: seconds)
        guard codes.contains(where: { code in claim.codes.contains { isEqualSecretly($0, code) } })
        else { return .wrongSignature }
        guard let tolerance else { return nil }
        let age = Duration.milliseconds(now.milliseconds) - .seconds(seconds)
        return age <= tolerance && age >= .zero - tolerance ? nil : .lateSignature
    }
}

/// What a field says: `t=1764150000,v1=5b1e…`, or `sha256=5b1e…`.
private struct Claim {
    var seconds: Int64?
    var codes: [[UInt8]] = []

    /// Nil where no part is a signature, or the time is none or told twice.
    init?(_ value: String) {
        for part in value.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
            switch (pair.first, pair.last) {
            case ("t", let text?):
                guard seconds == nil, let number = Int64(text) else { return nil }
                seconds = number
            case ("v1", let text?), ("sha256", let text?):
                codes.append(Array(text.lowercased().utf8))
            default: break
            }
        }
        guard !codes.isEmpty else { return nil }
    }
}

extension ProblemDetails {
    fileprivate static func unsigned(_ field: String) -> ProblemDetails {
        ProblemDetails(
            .unauthorized, code: "unsigned", detail: "\(field) has the signature of the body."
        ).with("WWW-Authenticate", "Signature")
    }

    fileprivate static let wrongSignature = ProblemDetails(
        .forbidden, code: "wrong-signature", detail: "The signature is not that of this body.")

    fileprivate static let lateSignature = ProblemDetails(
        .forbidden, code: "late-signature", detail: "The time of the signature is not now.")
}

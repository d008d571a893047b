/// The page of a problem's type, `GET /problems/{code}`.
///
/// The article *Problems* shows the same rows; a test holds the two together, and another one sees
/// that every code that the library makes has one. The rejections of all applications, whose codes
/// are their own, share the page `rejected`.
struct ProblemPage {
    /// The answer to: may the client send it again?
    enum Retry: String {
        case never = "No."
        case mended = "Once the request is mended."
        case credentials = "With other credentials."
        case afterReading = "After reading the state again."
        case afterMaking = "Once the session is made."
        case otherKey = "With a new Idempotency-Key."
        case sameKey = "Yes, with the same Idempotency-Key."
        case atOnce = "Yes, at once."
        case later = "Yes, after a while: as long as Retry-After says, where it is given."
    }

    let code: String
    /// The statuses that the code is answered with.
    let statuses: [Int]
    let meaning: String
    let retry: Retry

    init(_ code: String, _ statuses: Int..., meaning: String, retry: Retry) {
        self.code = code
        self.statuses = statuses
        self.meaning = meaning
        self.retry = retry
    }

    /// Names in backticks are members of the problem.
    private var meaningInHTML: String {
        meaning.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { $0 % 2 == 1 ? "<code>\($1)</code>" : String($1) }.joined()
    }

    var html: String {
        let title = code.split(separator: "-").joined(separator: " ")
        let statuses = statuses.map { "\($0)" }.joined(separator: " or ")
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
            <meta name="viewport" content="width=device-width">
            <link rel="stylesheet" href="/style/tokens.css">
            <link rel="stylesheet" href="/style/layout.css"></head>
            <body><main><h1>\(title)</h1>
            <p>\(meaningInHTML)</p>
            <p>The problem type is <code>\(code)</code> (RFC 9457), its status \(statuses). The
            member <code>detail</code> says more about the request, and <code>pointer</code>, where
            it is given, names the part of the body.</p>
            <p>May the request be sent again? \(retry.rawValue)</p>
            <p><a href="/">Start page</a></p></main></body></html>
            """
    }
}

extension ProblemPage {
    /// All codes, by status.
    static let all: [ProblemPage] = [
        .init(
            "bad-parameter", 400,
            meaning: "A parameter of the query has a value that it cannot have.",
            retry: .mended),
        .init(
            "bad-session-id", 400,
            meaning: "The id of a session is 1 to 128 of A-Z a-z 0-9 . _ ~ -",
            retry: .mended),
        .init("content-range", 400, meaning: "A session is not made in parts.", retry: .mended),
        .init(
            "malformed-content-coding", 400,
            meaning: "The body is not what its Content-Encoding says.",
            retry: .mended),
        .init(
            "malformed-json", 400,
            meaning: "The body is not JSON, or names a member twice.",
            retry: .mended),
        .init(
            "malformed-path", 400,
            meaning: "The path is not percent-encoded UTF-8.",
            retry: .mended),
        .init(
            "malformed-request", 400,
            meaning: "The request is not HTTP as RFC 9112 has it.",
            retry: .mended),
        .init(
            "nested-too-deep", 400,
            meaning: "The JSON nests deeper than `limit` levels.",
            retry: .mended),
        .init(
            "unauthenticated", 401,
            meaning: "The server does not know who asks.",
            retry: .credentials),
        .init(
            "cross-origin", 403,
            meaning: "The page of another origin may not change anything here.",
            retry: .never),
        .init("forbidden", 403, meaning: "Who asks may not do this.", retry: .credentials),
        .init(
            "rejected", 403, 409, 422,
            meaning: "The application has rejected the action: `code` says why, and `errors` "
                + "names each reason and its place.",
            retry: .afterReading),
        .init(
            "no-replay", 404,
            meaning: "The session plays no recording.",
            retry: .never),
        .init("not-found", 404, meaning: "There is nothing at this address.", retry: .never),
        .init(
            "out-of-scope", 404,
            meaning: "What is asked for is not in the state now, as far as this client sees it.",
            retry: .afterReading),
        .init(
            "session-not-found", 404,
            meaning: "There is no such session; PUT makes it.",
            retry: .afterMaking),
        .init(
            "version-not-reached", 404,
            meaning: "The session has no such version yet.",
            retry: .later),
        .init(
            "method-not-allowed", 405,
            meaning: "The resource does not have this method; Allow names those it has.",
            retry: .never),
        .init(
            "request-timeout", 408,
            meaning: "The request did not arrive whole in time.",
            retry: .atOnce),
        .init(
            "chain-cut", 409,
            meaning: "Too many actions followed from one.",
            retry: .afterReading),
        .init(
            "replay", 409,
            meaning: "The session plays a recording: it takes no actions and no state.",
            retry: .never),
        .init(
            "too-many-effects", 409,
            meaning: "The session has as many effects under way as it may.",
            retry: .later),
        .init(
            "too-many-queued", 409,
            meaning: "The session has as many actions waiting as it may.",
            retry: .later),
        .init("session-ended", 410, meaning: "The session has ended.", retry: .never),
        .init(
            "version-gone", 410,
            meaning: "That version is not kept any more; `oldest` is the first one that is.",
            retry: .never),
        .init(
            "version-not-shown", 410,
            meaning: "The application cannot read the state of that version to make a view of it: "
                + "a secret in it is gone, or its shape is another one by now.",
            retry: .never),
        .init(
            "precondition-failed", 412,
            meaning: "If-Match or another condition does not hold; ETag tells what is there.",
            retry: .afterReading),
        .init(
            "session-exists", 412,
            meaning: "The session exists, and the request asks that it does not.",
            retry: .never),
        .init(
            "batch-too-large", 413,
            meaning: "The batch holds more than `limit` actions.",
            retry: .mended),
        .init(
            "body-too-large", 413,
            meaning: "The body is larger than `limit` bytes.",
            retry: .mended),
        .init(
            "target-too-long", 414,
            meaning: "The address is longer than the server reads.",
            retry: .mended),
        .init(
            "json-expected", 415,
            meaning: "The body has to be application/json.",
            retry: .mended),
        .init(
            "media-type-not-accepted", 415,
            meaning: "The route takes no body of this media type; Accept names those it takes.",
            retry: .mended),
        .init(
            "unsupported-content-coding", 415,
            meaning: "The body may be sent as it is, or with Content-Encoding: gzip.",
            retry: .mended),
        .init(
            "unknown-expectation", 417,
            meaning: "The server knows the expectation 100-continue only.",
            retry: .mended),
        .init(
            "unknown-host", 421,
            meaning: "The server does not answer to the name in Host.",
            retry: .never),
        .init(
            "bad-body", 422,
            meaning: "A body of another shape is taken; `pointer` names the place.",
            retry: .mended),
        .init(
            "bad-payload", 422,
            meaning: "The payload does not fit the action's type; `pointer` names the place.",
            retry: .mended),
        .init(
            "bad-recording", 422,
            meaning: "The body is no recording: `line` and `pointer` name the place.",
            retry: .mended),
        .init(
            "fact-not-allowed", 422,
            meaning: "The server alone reports this action.",
            retry: .never),
        .init(
            "foreign-recording", 422,
            meaning:
                "The recording is of another application, or of another version of its states.",
            retry: .never),
        .init(
            "idempotency-key-reused", 422,
            meaning: "The Idempotency-Key came before, with another body.",
            retry: .otherKey),
        .init(
            "no-input", 422,
            meaning: "The application takes no input: a session is made without a body.",
            retry: .mended),
        .init(
            "not-an-action", 422,
            meaning: "The body is JSON, and no Flux Standard Action.",
            retry: .mended),
        .init(
            "state-too-large", 422,
            meaning: "The state would be larger than `limit` bytes; nothing has changed.",
            retry: .never),
        .init(
            "unknown-action", 422,
            meaning: "No action has this type; `known` names those like it.",
            retry: .mended),
        .init(
            "frozen", 423,
            meaning: "The session's state can no longer be written; it takes no actions.",
            retry: .never),
        .init(
            "unreadable", 423,
            meaning: "The session was kept, and this server cannot read it.",
            retry: .never),
        .init(
            "head-too-large", 431,
            meaning: "The request's fields are larger than the server reads.",
            retry: .mended),
        .init(
            "too-many-fields", 431,
            meaning: "The request has more fields than the server reads.",
            retry: .mended),
        .init(
            "not-encodable", 500,
            meaning: "The action, or the state after it, cannot be written as JSON; "
                + "nothing has changed.",
            retry: .never),
        .init(
            "route-failed", 500,
            meaning: "The route of the application could not answer; the log says why.",
            retry: .never),
        .init(
            "method-not-implemented", 501,
            meaning: "No resource of the server has this method.",
            retry: .never),
        .init(
            "transfer-coding-not-supported", 501,
            meaning: "The server knows the transfer coding chunked only.",
            retry: .mended),
        .init("busy", 503, meaning: "The session is being opened.", retry: .later),
        .init(
            "file-unavailable", 503,
            meaning: "The file cannot be read at the moment.",
            retry: .later),
        .init(
            "journal-busy", 503,
            meaning: "More waits for the journal than it may hold; nothing has changed.",
            retry: .later),
        .init(
            "journal-unavailable", 503,
            meaning: "The action was not kept; nothing has changed.",
            retry: .later),
        .init(
            "moved", 503,
            meaning: "Another server has this session; nothing has changed here.",
            retry: .later),
        .init(
            "outcome-unknown", 503,
            meaning: "It is not known whether the action was kept.",
            retry: .sameKey),
        .init(
            "route-timeout", 503,
            meaning: "The route of the application did not answer in time.",
            retry: .later),
        .init(
            "short-of-memory", 503,
            meaning: "The server holds as much as it may: it makes no sessions and takes no "
                + "large bodies.",
            retry: .later),
        .init(
            "shutting-down", 503,
            meaning: "The server is shutting down; another one may take over.",
            retry: .later),
        .init(
            "state-at-limit", 503,
            meaning: "The state is about as large as it may be, and is measured now and then only.",
            retry: .later),
        .init(
            "too-many-calls", 503,
            meaning: "The server's own code uses as many sessions at once as it may.",
            retry: .later),
        .init(
            "too-many-endings", 503,
            meaning: "What ended sessions have left is still being deleted.",
            retry: .later),
        .init(
            "too-many-keys", 503,
            meaning: "The session remembers no more idempotency keys for now.",
            retry: .later),
        .init(
            "too-many-recordings", 503,
            meaning: "As many recordings are being read as may be.",
            retry: .later),
        .init(
            "too-many-routes-running", 503,
            meaning: "As many requests as may are being answered by routes of the application.",
            retry: .later),
        .init(
            "too-many-sessions", 503,
            meaning: "The server keeps no more sessions now.",
            retry: .later),
        .init(
            "too-many-waiting", 503,
            meaning: "Too many requests wait for this session.",
            retry: .later),
        .init("try-again", 503, meaning: "The request came to a busy place.", retry: .atOnce),
        .init("version-not-supported", 505, meaning: "The server speaks HTTP/1.1.", retry: .never),
    ]
}

import HTTPServer
import HTTPTypes

/// A row of the article *Problems*, which is compiled in: the one place that tells the status and the
/// meaning of a code, and its page, `GET /problems/{code}`.
///
///     | `version-not-reached` | 404 | The session has no such version yet. | Yes, after a while. |
///
/// The rejections of all applications, whose codes are their own, share the row `rejected`.
struct ProblemPage {
    let code: String
    /// The statuses that the code is answered with.
    let statuses: [Int]
    let meaning: String
    /// The answer to: may the client send it again?
    let retry: String

    /// All codes, by status.
    static let all = Article.rows(PackageResources.Problems_md).map { cells in
        ProblemPage(
            code: cells[0].filter { $0 != "`" },
            statuses: cells[1].split(separator: ", ").compactMap { Int($0) }, meaning: cells[2],
            retry: cells[3])
    }

    private static let byCode = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })

    static func named(_ code: String) -> ProblemPage? { byCode[code] }

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
            <link rel="stylesheet" href="/client/style/tokens.css">
            <link rel="stylesheet" href="/client/style/layout.css"></head>
            <body><header class="bar"><a class="brand" href="/">Statecast</a></header>
            <main class="prose"><h1>\(title)</h1>
            <p>\(meaningInHTML)</p>
            <p>The problem type is <code>\(code)</code> (RFC 9457), its status \(statuses). The
            member <code>detail</code> says more about the request, and <code>pointer</code>, where
            it is given, names the part of the body.</p>
            <p>May the request be sent again? \(retry)</p></main></body></html>
            """
    }
}

extension ProblemDetails {
    /// A problem with the status of its row in the article, and its meaning where no detail is given.
    init(
        code: String, detail: String? = nil, members: [Member] = [], retryAfterSeconds: Int? = nil
    ) {
        guard let page = ProblemPage.named(code), let status = page.statuses.first else {
            preconditionFailure("The code \(code) has a row in the article Problems.")
        }
        self.init(
            .init(code: status), code: code, detail: detail ?? page.meaning, members: members,
            retryAfterSeconds: retryAfterSeconds)
    }
}

/// The tables of an article that is compiled in.
enum Article {
    /// The rows of all tables that begin with code, cell by cell: `["`busy`", "503", "…"]`.
    static func rows(_ text: [UInt8]) -> [[String]] {
        String(decoding: text, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("| `") && $0.hasSuffix(" |") }
            .map { $0.dropFirst(2).dropLast(2).split(separator: " | ").map(String.init) }
    }
}

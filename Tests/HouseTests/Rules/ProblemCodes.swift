/// The codes of problems: each is made in one place, and stands in one row of the article.
///
///     | `out-of-scope` | 404 | The selected part is not in the state now. | … |
enum ProblemCodes {
    static let article = "Sources/Statecast/Statecast.docc/Problems.md"

    /// A place that makes a problem or a rejection of the library's own.
    struct Place {
        let code: String
        /// 404; nil where the text does not tell.
        let status: Int?
        /// A rejection of the library's own: applications make others, which share a row.
        let isRejection: Bool
        let file: SourceFile
        let line: Int
    }

    private static let targets: Set<String> = [
        "HTTPMessages", "HTTPServer", "Redux", "Sessions", "Statecast",
    ]
    private static let makers: Set<String> = [
        "ProblemDetails", "Rejection", "RequestError", "init",
    ]

    static func findings(in tree: SourceTree) -> [Finding] {
        let places = tree.sources.filter { targets.contains($0.target) }
            .flatMap { Self.places(in: $0) }
        let rows = Self.rows(of: tree.articles[article] ?? "")
        return doubled(places) + unlisted(places, rows) + stale(rows, places)
    }

    private static func doubled(_ places: [Place]) -> [Finding] {
        let groups = Dictionary(grouping: places) { $0.code + ($0.isRejection ? "!" : "") }
        return groups.values.filter { $0.count > 1 }.sorted { $0[0].code < $1[0].code }.map {
            group in
            let all = group.map { "\($0.file.path):\($0.line)" }.joined(separator: ", ")
            return Finding(
                .problemCodes, group[0].code, at: all,
                "\(group[0].code) is made in \(group.count) places: "
                    + "make it in one, and call that from the others")
        }
    }

    private static func unlisted(_ places: [Place], _ rows: [Row]) -> [Finding] {
        places.compactMap { place in
            let listed = rows.filter { $0.code == place.code }
            let status = place.status.map { " with \($0)" } ?? ""
            let isListed = listed.contains { row in
                place.status.map { row.statuses.contains($0) } ?? true
            }
            guard !isListed else { return nil }
            return Finding(
                .problemCodes, place.code, in: place.file, line: place.line,
                "\(place.code) stands in no row of \(article)\(status): say there what it means, "
                    + "and whether a client may retry")
        }
    }

    private static func stale(_ rows: [Row], _ places: [Place]) -> [Finding] {
        let made = Set(places.map(\.code))
        return rows.indices.compactMap { index in
            let row = rows[index]
            let isRepeated = rows[..<index].contains { $0.code == row.code }
            guard isRepeated || !made.contains(row.code) else { return nil }
            return Finding(
                .problemCodes, row.code, at: "\(article):\(row.line)",
                isRepeated
                    ? "\(row.code) has two rows: strike one"
                    : "no code of Sources makes \(row.code): strike the row")
        }
    }

    private struct Row {
        let code: String
        let statuses: Set<Int>
        let line: Int
    }

    private static func rows(of article: String) -> [Row] {
        let lines = article.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.enumerated().compactMap { number, line in
            let cells = line.split(separator: "|").map {
                $0.split(separator: " ").joined(separator: " ")
            }
            guard line.hasPrefix("| `"), cells.count > 1 else { return nil }
            return Row(
                code: cells[0].filter { $0 != "`" },
                statuses: Set(cells[1].split { !$0.isNumber }.compactMap { Int($0) }),
                line: number + 1)
        }
    }

    /// `ProblemDetails(.notFound, code: "session-not-found", …)`, `Rejection(ofLibrary: "chain-cut", …)`
    private static func places(in file: SourceFile) -> [Place] {
        let tokens = file.tokens
        return tokens.indices.dropFirst(2).compactMap { index in
            guard tokens[index].kind == .string, tokens[index - 1].isMark(":"),
                tokens[index - 2].isWord("code") || tokens[index - 2].isWord("ofLibrary"),
                let opening = opening(before: index - 2, in: tokens), opening > 0,
                makers.contains(tokens[opening - 1].text)
            else { return nil }
            let isRejection = tokens[opening - 1].text == "Rejection"
            let arguments = tokens[opening + 1..<index - 2]
            let status = isRejection ? 409 : Self.status(in: arguments)
            // `rejected/\(code)`: the codes of applications share a row.
            let code = String(tokens[index].text.prefix { $0 != "/" })
            return Place(
                code: code, status: status, isRejection: isRejection, file: file,
                line: tokens[index].line)
        }
    }

    private static func opening(before index: Int, in tokens: [Token]) -> Int? {
        var depth = 0
        for position in stride(from: index, through: 0, by: -1) {
            if tokens[position].isMark(")") { depth += 1 }
            if tokens[position].isMark("(") {
                if depth == 0 { return position }
                depth -= 1
            }
        }
        return nil
    }

    /// `status: 413`, `.init(code: 423, …)` or `.notFound`, whichever stands in the arguments.
    private static func status(in arguments: ArraySlice<Token>) -> Int? {
        for token in arguments {
            if token.kind == .number { return Int(token.text) }
            if let status = statuses[token.text] { return status }
        }
        return nil
    }

    private static let statuses = [
        "badRequest": 400, "unauthorized": 401, "forbidden": 403, "notFound": 404,
        "methodNotAllowed": 405, "requestTimeout": 408, "conflict": 409, "gone": 410,
        "preconditionFailed": 412, "contentTooLarge": 413, "unsupportedMediaType": 415,
        "expectationFailed": 417, "misdirectedRequest": 421, "unprocessableContent": 422,
        "tooManyRequests": 429, "internalServerError": 500, "notImplemented": 501,
        "serviceUnavailable": 503,
    ]
}

/// How many lines that say something, and how many types, each folder of Sources may have. Several servers are
/// two of them: who has what in PostgreSQL, and requests on their way; a journal alone does without.
///
/// A line says something if it is not blank, a comment, a plain import, or made of braces alone. A
/// number is raised only by a commit that gives its reason, and lowered when the house shrinks.
enum Budgets {
    struct Count: Equatable {
        var lines = 0
        var types = 0
    }

    /// Per cent that a budget may lie above what is there before a note asks to lower it.
    private static let slack = 3

    static let list: [String: Count] = [
        "Bytes": Count(lines: 492, types: 18),
        "ClientWire": Count(lines: 401, types: 17),
        "Curl": Count(lines: 211, types: 7),
        "Examples": Count(lines: 1943, types: 116),
        "Gzip": Count(lines: 185, types: 7),
        "HTTPClient": Count(lines: 442, types: 14),
        "HTTPMessages": Count(lines: 1523, types: 38),
        "HTTPServer": Count(lines: 3127, types: 72),
        "JournalPostgreSQL": Count(lines: 1292, types: 14),
        "JournalPostgreSQL/Ownership": Count(lines: 335, types: 5),
        "JournalRows": Count(lines: 343, types: 7),
        "JournalSQLite": Count(lines: 1746, types: 20),
        "Journaling": Count(lines: 558, types: 24),
        "MockUpstream": Count(lines: 510, types: 20),
        "MockUpstreamCommand": Count(lines: 43, types: 1),
        "PostgreSQL": Count(lines: 405, types: 15),
        "Redux": Count(lines: 2920, types: 96),
        "Reflection": Count(lines: 342, types: 13),
        "RemoteControl": Count(lines: 1017, types: 24),
        "SQLite": Count(lines: 288, types: 8),
        "Sessions": Count(lines: 2784, types: 60),
        "SignedHooks": Count(lines: 72, types: 2),
        "Sockets": Count(lines: 1654, types: 44),
        "Sodium": Count(lines: 44, types: 1),
        "StateCoding": Count(lines: 5274, types: 109),
        "Statecast": Count(lines: 8742, types: 132),
        "Statecast/Cluster": Count(lines: 1066, types: 16),
        "StatecastClient": Count(lines: 611, types: 13),
        "StatecastClientCurl": Count(lines: 58, types: 1),
        "StatecastCommand": Count(lines: 598, types: 22),
        "StatecastTesting": Count(lines: 2017, types: 40),
        "Threads": Count(lines: 452, types: 15),
    ]

    static func counts(in tree: SourceTree) -> [String: Count] {
        var counts: [String: Count] = [:]
        for file in tree.sources {
            let parts = file.path.split(separator: "/").dropFirst()
            let inner = parts.prefix(2).joined(separator: "/")
            let folder = list[inner] == nil ? String(parts.first ?? "") : inner
            counts[folder, default: Count()].lines += file.sayingCount
            counts[folder, default: Count()].types += file.declarations.count(where: \.isType)
        }
        return counts
    }

    static func findings(in tree: SourceTree, list: [String: Count] = list) -> [String] {
        counts(in: tree).sorted { $0.key < $1.key }.compactMap { folder, count in
            let budget = list[folder] ?? Count()
            guard count.lines > budget.lines || count.types > budget.types else { return nil }
            return "Sources/\(folder): \(count.lines) lines that say something and "
                + "\(count.types) types, where \(budget.lines) and \(budget.types) are allowed: "
                + "merge something first"
        }
    }

    /// The rows that are to be lowered, as they should be.
    static func notes(in tree: SourceTree) -> [String] {
        let counts = counts(in: tree)
        return list.sorted { $0.key < $1.key }.compactMap { folder, budget in
            let count = counts[folder] ?? Count()
            let isNear = [(budget.lines, count.lines), (budget.types, count.types)]
                .allSatisfy { $0.0 * 100 <= $0.1 * (100 + slack) }
            return isNear
                ? nil : "\"\(folder)\": Count(lines: \(count.lines), types: \(count.types)),"
        }
    }
}

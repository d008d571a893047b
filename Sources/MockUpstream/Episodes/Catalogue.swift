internal import FoundationEssentials

/// The invented shows, episodes, users and comments.
enum Catalogue {
    /// The author of a comment whose draft names no user.
    static let defaultUserID = "ada"

    static let users = rows(
        """
        ada|Ada Holm|Watches everything twice, once with the sound off.
        mira|Mira Okonjo|Pauses to read every sign in the background.
        jonas|Jonas Brandt|Here for the trains.
        teo|Teo Marchetti|Keeps a list of every loaf of bread on television.
        """
    ).map { User(id: $0[0], name: $0[1], about: $0[2], picture: "/pictures/users/\($0[0]).svg") }

    static func user(_ id: String) -> User? {
        users.first { $0.id == id }
    }

    /// All episodes; the first is released two minutes after `start`, the last a month later.
    static func episodes(start: Date) -> [Episode] {
        rows(episodeLines).map { row in
            let id = row[..<3].joined(separator: "-")
            return Episode(
                id: id, show: shows[row[0]] ?? "", title: row[5], season: Int(row[1]) ?? 0,
                number: Int(row[2]) ?? 0,
                releaseDate: start.addingTimeInterval((Double(row[4]) ?? 0) * 60),
                picture: "/pictures/episodes/\(id).svg", summary: row[6],
                runtimeMinutes: Int(row[3]) ?? 0)
        }
    }

    /// The first comments, oldest first.
    static func comments(start: Date, episodes: [Episode]) -> [Comment] {
        let rows = rows(commentLines)
        return rows.enumerated().compactMap { index, row in
            guard let episode = episodes.first(where: { $0.id == row[0] }),
                let author = user(row[1])
            else { return nil }
            let hoursAgo = Double(rows.count - index) * 2.6
            return Comment(
                id: "c\(index + 1)", episodeID: episode.id, episodeTitle: episode.shortTitle,
                author: author, text: row[2],
                postedAt: start.addingTimeInterval(-hoursAgo * 3600))
        }
    }

    private static let shows = [
        "tin-harbour": "Tin Harbour", "ninth-cartographer": "The Ninth Cartographer",
        "slow-orbit": "Slow Orbit", "bread-and-thunder": "Bread & Thunder",
        "quiet-engines": "Quiet Engines",
    ]

    /// The cells of a table's lines.
    static func rows(_ lines: String) -> [[String]] {
        lines.split(separator: "\n").map { $0.split(separator: "|").map(String.init) }
    }
}

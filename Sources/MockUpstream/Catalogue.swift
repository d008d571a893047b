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

extension Catalogue {
    /// An episode a line: show, season, number, minutes it runs, minutes from the start to its
    /// release, title, summary.
    static let episodeLines = """
        tin-harbour|2|3|47|2|The Late Ferry|A ferry arrives a day late, with one passenger too many.
        slow-orbit|1|7|24|35|Laundry Day, Again|The dryer spins the station; nobody dares to open it.
        bread-and-thunder|3|1|31|190|A Loaf Apart|Two bakeries, one oven, and a storm that will not wait.
        quiet-engines|1|4|52|600|Platform Zero|The night train stops where no station has stood for years.
        ninth-cartographer|1|2|44|1500|Here Be Ink|A blot on the map turns out to have inhabitants.
        tin-harbour|2|4|46|2880|Salt in the Clockwork|The harbour clock runs backwards, and so does the tide.
        slow-orbit|1|8|25|4400|The Long Way Down|A dropped spanner comes back after eleven years.
        bread-and-thunder|3|2|30|7300|Proof|The dough rises against all evidence.
        quiet-engines|1|5|53|10700|The Signalman's Tea|Every cup is poured one minute before the accident.
        ninth-cartographer|1|3|45|14400|North, More or Less|The compass falls in love and cannot be trusted.
        tin-harbour|2|5|48|20200|What the Lamp Saw|The lighthouse keeper reads her own log, and disagrees.
        slow-orbit|1|9|24|25900|Gravity Is for Guests|An inspector insists on walking.
        bread-and-thunder|3|3|32|33000|Crumbs of Evidence|Somebody has eaten the exhibit.
        ninth-cartographer|1|4|46|43200|The Folded Country|A border runs through the crease, and someone opens the map.
        """

    /// A comment a line, oldest first: episode, user, text. The later episodes have none.
    static let commentLines = """
        tin-harbour-2-3|jonas|A ferry is just a train that gave up.
        slow-orbit-1-7|ada|With the sound off it is a ballet.
        tin-harbour-2-3|mira|The sign on the pier says 1962. Remember that.
        bread-and-thunder-3-1|teo|Finally a proper rye. Loaf number 214.
        quiet-engines-1-4|jonas|That is a four-coupled tank engine and I am happy.
        slow-orbit-1-7|teo|No bread in orbit. Points off.
        quiet-engines-1-4|mira|The timetable on the wall has a fifth column!
        tin-harbour-2-3|ada|Count the passengers in the first minute. Then again.
        ninth-cartographer-1-2|mira|The margin notes are in two hands.
        bread-and-thunder-3-1|ada|The storm had better lines than the baker.
        slow-orbit-1-8|jonas|Eleven years is about right for a repair order.
        tin-harbour-2-4|teo|The clockmaker eats a pretzel at 12:10. Or was it before?
        quiet-engines-1-5|ada|I have never been so afraid of tea.
        bread-and-thunder-3-2|teo|Sourdough used as a plot device. Number 219.
        ninth-cartographer-1-2|jonas|More railways on that map than in my whole country.
        tin-harbour-2-4|mira|Backwards tide, forwards gulls. Continuity, please.
        slow-orbit-1-7|mira|Label on the dryer: DO NOT. That is all it says.
        bread-and-thunder-3-1|jonas|Delivered by bicycle. I would have sent a train.
        quiet-engines-1-4|teo|The dining car serves nothing but toast. I approve.
        tin-harbour-2-3|teo|One passenger too many, and he brought sandwiches.
        """
}

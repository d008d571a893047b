internal import FoundationEssentials

/// The invented shows, episodes, users and comments.
enum Catalogue {
    /// The author of a comment whose draft names no user.
    static let defaultUserID = "ada"

    static let users = [
        user("ada", "Ada Holm", "Watches everything twice, once with the sound off."),
        user("mira", "Mira Okonjo", "Pauses to read every sign in the background."),
        user("jonas", "Jonas Brandt", "Here for the trains."),
        user("teo", "Teo Marchetti", "Keeps a list of every loaf of bread on television."),
    ]

    static func user(_ id: String) -> User? {
        users.first { $0.id == id }
    }

    private static func user(_ id: String, _ name: String, _ about: String) -> User {
        User(id: id, name: name, about: about, picture: "/pictures/users/\(id).svg")
    }

    /// All episodes; the first is released two minutes after `start`, the last a month later.
    static func episodes(start: Date) -> [EpisodeDetails] {
        plans.map { plan in
            let id = "\(plan.show.id)-\(plan.season)-\(plan.number)"
            return EpisodeDetails(
                id: id, show: plan.show.name, title: plan.title, season: plan.season,
                number: plan.number, releaseDate: start.addingTimeInterval(plan.minutes * 60),
                picture: "/pictures/episodes/\(id).svg", summary: plan.summary,
                runtimeMinutes: plan.runtime)
        }
    }

    /// The first comments, oldest first.
    static func comments(start: Date, episodes: [EpisodeDetails]) -> [Comment] {
        remarks.enumerated().compactMap { index, remark in
            guard let episode = episodes.first(where: { $0.id == remark.episode }),
                let author = user(remark.user)
            else { return nil }
            let hoursAgo = Double(remarks.count - index) * 2.6
            return Comment(
                id: "c\(index + 1)", episodeID: episode.id, episodeTitle: episode.shortTitle,
                author: author, text: remark.text,
                postedAt: start.addingTimeInterval(-hoursAgo * 3600))
        }
    }

    /// The five shows.
    enum Show: String, CaseIterable {
        case tinHarbour = "tin-harbour"
        case ninthCartographer = "ninth-cartographer"
        case slowOrbit = "slow-orbit"
        case breadAndThunder = "bread-and-thunder"
        case quietEngines = "quiet-engines"

        var id: String { rawValue }

        var name: String {
            switch self {
            case .tinHarbour: "Tin Harbour"
            case .ninthCartographer: "The Ninth Cartographer"
            case .slowOrbit: "Slow Orbit"
            case .breadAndThunder: "Bread & Thunder"
            case .quietEngines: "Quiet Engines"
            }
        }
    }
}

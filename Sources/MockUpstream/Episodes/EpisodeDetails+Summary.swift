extension EpisodeDetails {
    /// The part of an episode that a list shows.
    var summaryOnly: EpisodeSummary {
        EpisodeSummary(
            id: id, show: show, title: title, season: season, number: number,
            releaseDate: releaseDate, picture: picture)
    }

    /// `Tin Harbour 2×03`
    var shortTitle: String {
        "\(show) \(season)×\(number < 10 ? "0" : "")\(number)"
    }
}

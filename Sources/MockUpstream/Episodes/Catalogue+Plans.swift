extension Catalogue {
    /// One episode before it has a date.
    struct Plan: Sendable {
        let show: Show
        let season: Int
        let number: Int
        let title: String
        let summary: String
        let runtime: Int
        /// From the start to the release.
        let minutes: Double
    }

    static let plans = [
        Plan(
            show: .tinHarbour, season: 2, number: 3, title: "The Late Ferry",
            summary: "A ferry arrives a day late, with one passenger too many.",
            runtime: 47, minutes: 2),
        Plan(
            show: .slowOrbit, season: 1, number: 7, title: "Laundry Day, Again",
            summary: "The dryer spins the station; nobody dares to open it.",
            runtime: 24, minutes: 35),
        Plan(
            show: .breadAndThunder, season: 3, number: 1, title: "A Loaf Apart",
            summary: "Two bakeries, one oven, and a storm that will not wait.",
            runtime: 31, minutes: 190),
        Plan(
            show: .quietEngines, season: 1, number: 4, title: "Platform Zero",
            summary: "The night train stops where no station has stood for years.",
            runtime: 52, minutes: 600),
        Plan(
            show: .ninthCartographer, season: 1, number: 2, title: "Here Be Ink",
            summary: "A blot on the map turns out to have inhabitants.",
            runtime: 44, minutes: 1_500),
        Plan(
            show: .tinHarbour, season: 2, number: 4, title: "Salt in the Clockwork",
            summary: "The harbour clock runs backwards, and so does the tide.",
            runtime: 46, minutes: 2_880),
        Plan(
            show: .slowOrbit, season: 1, number: 8, title: "The Long Way Down",
            summary: "A dropped spanner comes back after eleven years.",
            runtime: 25, minutes: 4_400),
        Plan(
            show: .breadAndThunder, season: 3, number: 2, title: "Proof",
            summary: "The dough rises against all evidence.",
            runtime: 30, minutes: 7_300),
        Plan(
            show: .quietEngines, season: 1, number: 5, title: "The Signalman's Tea",
            summary: "Every cup is poured one minute before the accident.",
            runtime: 53, minutes: 10_700),
        Plan(
            show: .ninthCartographer, season: 1, number: 3, title: "North, More or Less",
            summary: "The compass falls in love and cannot be trusted.",
            runtime: 45, minutes: 14_400),
        Plan(
            show: .tinHarbour, season: 2, number: 5, title: "What the Lamp Saw",
            summary: "The lighthouse keeper reads her own log, and disagrees.",
            runtime: 48, minutes: 20_200),
        Plan(
            show: .slowOrbit, season: 1, number: 9, title: "Gravity Is for Guests",
            summary: "An inspector insists on walking.",
            runtime: 24, minutes: 25_900),
        Plan(
            show: .breadAndThunder, season: 3, number: 3, title: "Crumbs of Evidence",
            summary: "Somebody has eaten the exhibit.",
            runtime: 32, minutes: 33_000),
        Plan(
            show: .ninthCartographer, season: 1, number: 4, title: "The Folded Country",
            summary: "A border runs through the crease, and someone opens the map.",
            runtime: 46, minutes: 43_200),
    ]

    /// A comment before it has a date, oldest first. The later episodes have none.
    static let remarks: [(episode: String, user: String, text: String)] = [
        ("tin-harbour-2-3", "jonas", "A ferry is just a train that gave up."),
        ("slow-orbit-1-7", "ada", "With the sound off it is a ballet."),
        ("tin-harbour-2-3", "mira", "The sign on the pier says 1962. Remember that."),
        ("bread-and-thunder-3-1", "teo", "Finally a proper rye. Loaf number 214."),
        ("quiet-engines-1-4", "jonas", "That is a four-coupled tank engine and I am happy."),
        ("slow-orbit-1-7", "teo", "No bread in orbit. Points off."),
        ("quiet-engines-1-4", "mira", "The timetable on the wall has a fifth column!"),
        ("tin-harbour-2-3", "ada", "Count the passengers in the first minute. Then again."),
        ("ninth-cartographer-1-2", "mira", "The margin notes are in two hands."),
        ("bread-and-thunder-3-1", "ada", "The storm had better lines than the baker."),
        ("slow-orbit-1-8", "jonas", "Eleven years is about right for a repair order."),
        ("tin-harbour-2-4", "teo", "The clockmaker eats a pretzel at 12:10. Or was it before?"),
        ("quiet-engines-1-5", "ada", "I have never been so afraid of tea."),
        ("bread-and-thunder-3-2", "teo", "Sourdough used as a plot device. Number 219."),
        ("ninth-cartographer-1-2", "jonas", "More railways on that map than in my whole country."),
        ("tin-harbour-2-4", "mira", "Backwards tide, forwards gulls. Continuity, please."),
        ("slow-orbit-1-7", "mira", "Label on the dryer: DO NOT. That is all it says."),
        ("bread-and-thunder-3-1", "jonas", "Delivered by bicycle. I would have sent a train."),
        ("quiet-engines-1-4", "teo", "The dining car serves nothing but toast. I approve."),
        ("tin-harbour-2-3", "teo", "One passenger too many, and he brought sandwiches."),
    ]
}

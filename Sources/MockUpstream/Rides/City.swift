/// The invented city: where the rider stands, and where one can go.
enum City {
    static let here = Place(
        id: "linden-steps", name: "Linden Steps", address: "Linden Steps 4",
        latitude: 59.3251, longitude: 18.0711)

    static let places = [
        Place(
            id: "lantern-market", name: "Lantern Market", address: "Ropewalk 12",
            latitude: 59.3301, longitude: 18.0590),
        Place(
            id: "old-observatory", name: "Old Observatory", address: "Stargazer Hill 1",
            latitude: 59.3416, longitude: 18.0549),
        Place(
            id: "tin-pier", name: "Tin Pier", address: "Harbour Road 88",
            latitude: 59.3192, longitude: 18.0902),
        Place(
            id: "paper-mill-baths", name: "Paper Mill Baths", address: "Mill Lane 3",
            latitude: 59.3358, longitude: 18.0931),
        Place(
            id: "northern-terminus", name: "Northern Terminus", address: "Station Square 1",
            latitude: 59.3372, longitude: 18.0668),
        Place(
            id: "glasshouse-garden", name: "Glasshouse Garden", address: "Orchid Walk 20",
            latitude: 59.3127, longitude: 18.0615),
        Place(
            id: "ropewalk-theatre", name: "Ropewalk Theatre", address: "Ropewalk 40",
            latitude: 59.3312, longitude: 18.0741),
        Place(
            id: "kite-meadow", name: "Kite Meadow", address: "Windward Green",
            latitude: 59.3080, longitude: 18.0826),
        Place(
            id: "clockmakers-yard", name: "Clockmakers' Yard", address: "Pendulum Street 9",
            latitude: 59.3224, longitude: 18.0487),
        Place(
            id: "museum-of-weather", name: "Museum of Weather", address: "Barometer Quay 2",
            latitude: 59.3269, longitude: 18.1012),
    ]
}

/// The invented city: where the rider stands, and where one can go.
enum City {
    static let here = Place(
        id: "linden-steps", name: "Linden Steps", address: "Linden Steps 4",
        latitude: 59.3251, longitude: 18.0711)

    static let places = Catalogue.rows(
        """
        lantern-market|Lantern Market|Ropewalk 12|59.3301|18.0590
        old-observatory|Old Observatory|Stargazer Hill 1|59.3416|18.0549
        tin-pier|Tin Pier|Harbour Road 88|59.3192|18.0902
        paper-mill-baths|Paper Mill Baths|Mill Lane 3|59.3358|18.0931
        northern-terminus|Northern Terminus|Station Square 1|59.3372|18.0668
        glasshouse-garden|Glasshouse Garden|Orchid Walk 20|59.3127|18.0615
        ropewalk-theatre|Ropewalk Theatre|Ropewalk 40|59.3312|18.0741
        kite-meadow|Kite Meadow|Windward Green|59.3080|18.0826
        clockmakers-yard|Clockmakers' Yard|Pendulum Street 9|59.3224|18.0487
        museum-of-weather|Museum of Weather|Barometer Quay 2|59.3269|18.1012
        """
    ).map { row in
        Place(
            id: row[0], name: row[1], address: row[2], latitude: Double(row[3]) ?? 0,
            longitude: Double(row[4]) ?? 0)
    }
}

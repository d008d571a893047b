/// The three ways to ride.
enum Fleet {
    private static let kinds: [(id: String, name: String, note: String, seats: Int, cents: Int)] = [
        ("tandem", "Tandem", "You pedal too.", 1, 420),
        ("pebble", "Pebble", "Small, round and electric.", 3, 910),
        ("longboat", "Longboat", "Room for the whole band.", 7, 1_680),
    ]

    static func has(_ id: String) -> Bool {
        kinds.contains { $0.id == id }
    }

    /// The options at a place. The price rises by up to a quarter with the place's coordinates.
    static func options(latitude: Double, longitude: Double) -> [RideOption] {
        let step = Int((abs(latitude) + abs(longitude)) * 10_000) % 26
        return kinds.map { kind in
            RideOption(
                id: kind.id, name: kind.name, note: kind.note, seats: kind.seats,
                priceCents: kind.cents * (100 + step) / 100,
                pictures: RideOption.Pictures(
                    x1: "/pictures/rides/\(kind.id)@1x.svg",
                    x2: "/pictures/rides/\(kind.id)@2x.svg",
                    x3: "/pictures/rides/\(kind.id)@3x.svg"))
        }
    }
}

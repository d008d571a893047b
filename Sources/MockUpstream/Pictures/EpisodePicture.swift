/// A scene of 320 × 180: the show gives the motif, the episode's number its time of day and
/// arrangement.
struct EpisodePicture {
    let show: Catalogue.Show
    let number: Int

    var svg: String {
        let shapes: [String] =
            switch show {
            case .tinHarbour: harbour
            case .ninthCartographer: map
            case .slowOrbit: orbit
            case .breadAndThunder: bakery
            case .quietEngines: train
            }
        let (top, bottom) = sky
        return SVG.file(
            "\(show.name), episode \(number)", width: 320, height: 180,
            [SVG.gradient("sky", top, bottom), SVG.rectangle(0, 0, 320, 180, fill: "url(#sky)")]
                + shapes)
    }

    private var sky: (String, String) {
        let skies: [(String, String)] =
            switch show {
            case .tinHarbour:
                [("#12324a", "#e98a5b"), ("#0f2036", "#5b86a8"), ("#1b1b3a", "#b4527a")]
            case .ninthCartographer:
                [("#f3e3bd", "#dcbf87"), ("#efe6cf", "#c9b48c"), ("#f6dcc0", "#d19f73")]
            case .slowOrbit:
                [("#090b1f", "#26185a"), ("#0a1526", "#0f4c5c"), ("#160a24", "#5a1846")]
            case .breadAndThunder:
                [("#3b4a6b", "#f0b878"), ("#2f3550", "#d98e9a"), ("#43526b", "#e7d3a1")]
            case .quietEngines:
                [("#0d1b2a", "#415a77"), ("#1d1f33", "#8a6f8f"), ("#10201c", "#5f8575")]
            }
        return skies[number % skies.count]
    }

    private var stars: [String] {
        var generator = SeededGenerator(seed: UInt64(number) &* 977)
        return (0..<36).map { _ in
            SVG.circle(
                Double(Int.random(in: 0...320, using: &generator)),
                Double(Int.random(in: 0...130, using: &generator)),
                Double(Int.random(in: 4...13, using: &generator)) / 10, fill: "#ffffff",
                opacity: Double(Int.random(in: 3...9, using: &generator)) / 10)
        }
    }
}

// MARK: - The five motifs

extension EpisodePicture {
    /// A lighthouse with its beam, hills, a boat on three rows of waves.
    private var harbour: [String] {
        let boat = Double(60 + number * 17 % 70)
        return [
            SVG.circle(70, 48, 20, fill: "#fff1cf", opacity: 0.9),
            SVG.path("M238 52 L0 20 L0 92 Z", fill: "#fff4b8", opacity: 0.28),
            SVG.path("M170 132 Q225 84 320 112 V180 H170 Z", fill: "#17263a"),
            SVG.path("M228 122 L233 62 H247 L252 122 Z", fill: "#f4efe6"),
            SVG.path("M230.5 92 L231.8 77 H248.2 L249.5 92 Z", fill: "#d6473d"),
            SVG.rectangle(231, 50, 18, 12, fill: "#ffe28a", radius: 2),
            SVG.path("M228 50 L240 38 L252 50 Z", fill: "#d6473d"),
            SVG.path("M0 132 Q40 122 80 132 T160 132 T240 132 T320 132 V180 H0 Z", fill: "#2b5673"),
            SVG.path(
                "M\(boat) 128 h58 l-9 16 h-40 Z M\(boat + 27) 124 V92 l22 28 Z", fill: "#f4efe6"),
            SVG.path("M0 148 Q40 138 80 148 T160 148 T240 148 T320 148 V180 H0 Z", fill: "#21445d"),
            SVG.path("M0 164 Q40 155 80 164 T160 164 T240 164 T320 164 V180 H0 Z", fill: "#173349"),
        ]
    }

    /// A sheet with contour lines, a dashed way to a cross, a compass rose.
    private var map: [String] {
        let x = Double(200 + number * 23 % 60)
        let rings = stride(from: 54.0, through: 12, by: -14).map { size in
            SVG.line(
                "M\(96 - size * 1.3) 84 Q\(96 - size) \(84 - size) 96 \(84 - size) "
                    + "T\(96 + size * 1.4) 88 Q\(96 + size * 0.8) \(84 + size) 92 \(84 + size * 0.9) "
                    + "T\(96 - size * 1.3) 84 Z", stroke: "#8a6a3a", width: 1.6)
        }
        return rings + [
            SVG.line(
                "M300 0 Q250 40 270 84 T236 180", stroke: "#6f9aa8", width: 9),
            SVG.line("M300 0 Q250 40 270 84 T236 180", stroke: "#b9d4d6", width: 5),
            SVG.line(
                "M40 150 Q90 120 128 138 T\(x - 10) 62", stroke: "#a33b2a", width: 3,
                dashes: "2 8"),
            SVG.line(
                "M\(x - 8) 46 l16 16 M\(x + 8) 46 l-16 16", stroke: "#a33b2a", width: 5),
            SVG.circle(272, 138, 26, fill: "#f8efd8", opacity: 0.85),
            SVG.path("M272 110 L278 138 L272 166 L266 138 Z", fill: "#5b3f1f"),
            SVG.path("M244 138 L272 132 L300 138 L272 144 Z", fill: "#a8814b"),
            SVG.path("M272 110 L278 138 H266 Z", fill: "#a33b2a"),
            SVG.circle(272, 138, 3, fill: "#f8efd8"),
            SVG.line("M12 12 H308 V168 H12 Z", stroke: "#8a6a3a", width: 1.2),
        ]
    }

    /// Stars, a ringed planet, a station on its orbit.
    private var orbit: [String] {
        let colors = [("#f0a45d", "#d4763b"), ("#7fd1ae", "#3f9f86"), ("#e88fb4", "#b8588a")]
        let (light, dark) = colors[number % colors.count]
        let x = Double(226 + number * 11 % 40)
        return stars + [
            SVG.line("M18 128 Q150 210 304 52", stroke: "#ffffff55", width: 1.2, dashes: "3 6"),
            ring("M64 94 A74 19 0 0 1 212 94"),
            SVG.circle(138, 94, 46, fill: light),
            SVG.path("M93 84 Q138 100 183 82 A46 46 0 0 1 184 96 Q138 116 92 98 Z", fill: dark),
            SVG.path("M101 121 Q138 134 175 121 A46 46 0 0 1 101 121 Z", fill: dark, opacity: 0.7),
            ring("M64 94 A74 19 0 0 0 212 94"),
            SVG.rectangle(x, 60, 22, 14, fill: "#e8edf5", radius: 4),
            SVG.rectangle(x - 26, 62, 22, 10, fill: "#4f7fd6", radius: 1),
            SVG.rectangle(x + 26, 62, 22, 10, fill: "#4f7fd6", radius: 1),
            SVG.line("M\(x - 4) 67 h4 M\(x + 22) 67 h4", stroke: "#e8edf5", width: 2),
            SVG.line("M\(x + 11) 60 v-10", stroke: "#e8edf5", width: 1.6),
            SVG.circle(x + 11, 48, 2.5, fill: "#ff6b6b"),
        ]
    }

    /// One half of the planet's ring, behind or before it.
    private func ring(_ data: String) -> String {
        "<g transform=\"rotate(-18 138 94)\">"
            + SVG.line(data, stroke: "#ffe9c7", width: 5) + "</g>"
    }

    /// A thundercloud over a loaf on its board.
    private var bakery: [String] {
        let x: Double = number % 2 == 0 ? 88 : 244
        return [
            SVG.path(
                "M\(x) 76 l-20 34 h15 l-11 30 l34 -42 h-16 l14 -22 Z", fill: "#ffd84d"),
            SVG.circle(96, 52, 26, fill: "#55607d"), SVG.circle(134, 40, 34, fill: "#626e8e"),
            SVG.circle(184, 44, 30, fill: "#55607d"), SVG.circle(220, 56, 22, fill: "#4a546e"),
            SVG.rectangle(72, 52, 170, 28, fill: "#55607d", radius: 14),
            SVG.rectangle(0, 150, 320, 30, fill: "#7a4a2b"),
            SVG.rectangle(60, 144, 200, 9, fill: "#a86b3d", radius: 4),
            SVG.path(
                "M76 144 Q70 104 118 100 Q160 88 202 100 Q250 104 244 144 Z", fill: "#d08a3e"),
            SVG.path(
                "M88 128 Q94 108 122 106 Q160 96 198 106 Q220 108 230 120 Q160 104 88 128 Z",
                fill: "#e9b266"),
            SVG.line(
                "M112 130 q10 -14 18 -20 M148 128 q10 -14 18 -22 M184 130 q10 -12 18 -18",
                stroke: "#8d5524", width: 4),
            SVG.line(
                "M40 96 l-6 14 M54 116 l-6 14 M276 92 l-6 14 M290 114 l-6 14",
                stroke: "#ffffff88", width: 2),
        ]
    }

    /// A lit train on a viaduct at night.
    private var train: [String] {
        let start = Double(20 + number * 13 % 40)
        let arches = stride(from: 0.0, to: 320, by: 64).map { x in
            "M\(x + 8) 180 V148 Q\(x + 32) 118 \(x + 56) 148 V180 Z"
        }
        let windows = (0..<9).map { index in
            SVG.rectangle(
                start + 68 + Double(index % 3) * 18 + Double(index / 3) * 66, 82, 11, 11,
                fill: "#ffe08a", radius: 2)
        }
        return stars + [
            SVG.circle(262, 40, 18, fill: "#f7f3df", opacity: 0.95),
            SVG.circle(269, 36, 16, fill: "#000000", opacity: 0.18),
            SVG.path("M0 130 L60 84 L118 124 L190 70 L262 126 L320 92 V180 H0 Z", fill: "#0b1520"),
            SVG.rectangle(0, 108, 320, 72, fill: "#2e3442"),
            SVG.path(arches.joined(separator: " "), fill: "#161b26"),
            SVG.rectangle(0, 104, 320, 5, fill: "#596078"),
            SVG.path(
                "M\(start) 100 V88 q0 -8 8 -8 h28 v-8 h14 v28 Z M\(start + 10) 80 v-14 h9 v14 Z",
                fill: "#b23a48"),
            SVG.rectangle(start + 62, 74, 60, 26, fill: "#8a2c3a", radius: 3),
            SVG.rectangle(start + 128, 74, 60, 26, fill: "#8a2c3a", radius: 3),
            SVG.rectangle(start + 194, 74, 60, 26, fill: "#8a2c3a", radius: 3),
            SVG.circle(start + 14, 54, 7, fill: "#ffffff", opacity: 0.5),
            SVG.circle(start + 28, 44, 9, fill: "#ffffff", opacity: 0.35),
            SVG.circle(start + 46, 34, 11, fill: "#ffffff", opacity: 0.22),
            SVG.circle(start + 12, 101, 5, fill: "#dfe3ee"),
            SVG.circle(start + 28, 101, 5, fill: "#dfe3ee"),
            SVG.circle(start + 42, 101, 5, fill: "#dfe3ee"),
            SVG.path("M\(start) 88 L\(start - 60) 78 V104 Z", fill: "#fff4b8", opacity: 0.3),
        ] + windows
    }
}

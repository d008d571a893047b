/// A vehicle seen from the side, 120 × 72 points, for screens of one to three pixels a point.
enum RidePicture {
    static func svg(_ id: String, scale: Int) -> String? {
        let shapes: [String]
        switch id {
        case "tandem": shapes = tandem
        case "pebble": shapes = pebble
        case "longboat": shapes = longboat
        default: return nil
        }
        return SVG.file(
            id, width: 120, height: 72, scale: scale,
            [SVG.ellipse(60, 62, 52, 4, fill: "#0000001f")] + shapes)
    }

    private static func wheel(_ x: Double, _ y: Double, _ radius: Double) -> String {
        SVG.circle(x, y, radius, fill: "#22262e") + SVG.circle(x, y, radius * 0.5, fill: "#cfd6e2")
    }

    private static func openWheel(_ x: Double) -> String {
        SVG.line(
            "M\(x - 13) 48 a13 13 0 1 0 26 0 a13 13 0 1 0 -26 0", stroke: "#22262e", width: 3)
            + SVG.line(
                "M\(x - 13) 48 h26 M\(x) 35 v26 M\(x - 9) 39 l18 18 M\(x + 9) 39 l-18 18",
                stroke: "#9aa3b2", width: 0.8)
    }

    private static let tandem = [
        openWheel(20), openWheel(100),
        SVG.line(
            "M20 48 L34 28 H86 L100 48 M34 28 L44 48 H76 L86 28 M44 48 L60 28 L76 48 M20 48 H44",
            stroke: "#e4572e", width: 3.5),
        SVG.line("M34 28 l-2 -8 M60 28 v-8 M86 28 l-3 -12 h10", stroke: "#22262e", width: 3),
        SVG.rectangle(24, 16, 16, 5, fill: "#22262e", radius: 2.5),
        SVG.rectangle(52, 16, 16, 5, fill: "#22262e", radius: 2.5),
        SVG.circle(44, 48, 5, fill: "#22262e"), SVG.circle(76, 48, 5, fill: "#22262e"),
    ]

    private static let pebble = [
        SVG.path(
            "M14 54 Q10 34 30 30 Q42 10 66 10 Q92 10 100 32 Q112 36 108 54 Z", fill: "#2a9d8f"),
        SVG.path("M38 30 Q46 17 59 16 V31 Z", fill: "#dff3f5"),
        SVG.path("M64 16 Q84 16 91 31 H64 Z", fill: "#dff3f5"),
        SVG.line("M61.5 16 V52", stroke: "#1f776c", width: 1.4),
        SVG.line("M67 37 h7", stroke: "#dff3f5", width: 2),
        SVG.circle(104, 42, 3.5, fill: "#ffe28a"), SVG.circle(16, 43, 3, fill: "#e4572e"),
        wheel(34, 54, 10), wheel(88, 54, 10),
    ]

    private static let longboat = [
        SVG.path(
            "M6 54 V20 Q6 12 16 12 H86 Q96 12 102 26 L112 36 Q116 38 116 54 Z", fill: "#3d5a98"),
        SVG.rectangle(12, 19, 18, 14, fill: "#e3ecfb", radius: 2),
        SVG.rectangle(34, 19, 18, 14, fill: "#e3ecfb", radius: 2),
        SVG.rectangle(56, 19, 18, 14, fill: "#e3ecfb", radius: 2),
        SVG.path("M78 19 H88 L96 33 H78 Z", fill: "#e3ecfb"),
        SVG.rectangle(6, 40, 110, 4, fill: "#f4a261"),
        SVG.line("M54 36 V53 M76 36 V53", stroke: "#2c4374", width: 1.4),
        SVG.circle(112, 46, 3, fill: "#ffe28a"),
        wheel(28, 54, 9.5), wheel(92, 54, 9.5),
    ]
}

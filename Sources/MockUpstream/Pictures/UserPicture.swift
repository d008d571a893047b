/// A face in a circle of colour, 96 × 96.
enum UserPicture {
    private struct Look: Sendable {
        let back: String
        let skin: String
        let hair: String
        let shirt: String
        let hairShape: String
        let extras: [String]
    }

    static func svg(_ id: String) -> String? {
        guard let look = looks[id], let user = Catalogue.user(id) else { return nil }
        let ink = "#2b2320"
        return SVG.file(
            user.name, width: 96, height: 96,
            [
                "<clipPath id=\"round\"><circle cx=\"48\" cy=\"48\" r=\"48\"/></clipPath>",
                "<g clip-path=\"url(#round)\">",
                SVG.rectangle(0, 0, 96, 96, fill: look.back),
                SVG.path("M14 100 Q16 70 48 70 Q80 70 82 100 Z", fill: look.shirt),
                SVG.rectangle(40, 58, 16, 18, fill: look.skin, radius: 7),
                SVG.circle(48, 44, 22, fill: look.skin),
                SVG.path(look.hairShape, fill: look.hair),
                SVG.circle(40, 46, 2.5, fill: ink), SVG.circle(56, 46, 2.5, fill: ink),
                SVG.line("M41 55 Q48 61 55 55", stroke: ink, width: 2.2),
            ] + look.extras + ["</g>"])
    }

    /// The looks of the catalogue's users, by id.
    private static let looks: [String: Look] = [
        "ada": Look(
            back: "#f6c667", skin: "#f2c6a0", hair: "#7b3f1d", shirt: "#2f6f73",
            hairShape:
                "M24 62 Q18 18 48 18 Q78 18 72 62 Q68 38 58 34 Q40 42 30 38 Q26 48 24 62 Z",
            extras: [
                SVG.line(
                    "M34 46 a6 6 0 1 0 12 0 a6 6 0 1 0 -12 0 M50 46 a6 6 0 1 0 12 0 "
                        + "a6 6 0 1 0 -12 0 M46 46 h4", stroke: "#22313a", width: 1.6)
            ]),
        "mira": Look(
            back: "#8fd0c3", skin: "#8d5a3c", hair: "#1f1716", shirt: "#e0664f",
            hairShape: "M20 44 A28 28 0 1 1 76 44 Q70 32 60 32 Q48 36 36 32 Q26 32 20 44 Z",
            extras: [
                SVG.circle(26, 56, 3, fill: "#ffd54d"), SVG.circle(70, 56, 3, fill: "#ffd54d"),
            ]),
        "jonas": Look(
            back: "#9db4e8", skin: "#f0cdb0", hair: "#d9a441", shirt: "#34406b",
            hairShape: "M26 40 Q26 20 48 20 Q70 20 70 40 Q60 30 26 40 Z",
            extras: [
                SVG.path(
                    "M26 46 Q28 72 48 70 Q68 72 70 46 Q64 58 48 54 Q32 58 26 46 Z",
                    fill: "#d9a441"),
                SVG.line("M42 60 Q48 64 54 60", stroke: "#2b2320", width: 2.2),
                SVG.path("M22 34 Q24 14 48 14 Q72 14 74 34 Z", fill: "#24305a"),
                SVG.rectangle(20, 31, 56, 6, fill: "#1a2347", radius: 3),
            ]),
        "teo": Look(
            back: "#e9a3b5", skin: "#d9a273", hair: "#3a2a20", shirt: "#f4efe6",
            hairShape:
                "M26 42 Q22 24 36 24 Q40 16 50 20 Q62 14 66 26 Q74 30 70 42 Q62 32 48 34 "
                + "Q34 32 26 42 Z",
            extras: [
                SVG.path(
                    "M36 52 Q42 47 48 51 Q54 47 60 52 Q54 56 48 53 Q42 56 36 52 Z",
                    fill: "#3a2a20")
            ]),
    ]
}

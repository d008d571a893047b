/// The pictures of both applications, drawn as small SVG files.
///
/// A picture depends on its path alone, so that a program that embeds the mock can serve the same
/// bytes under the same path.
package enum Pictures {
    /// The file at `/pictures/episodes/<id>.svg`, `/pictures/users/<id>.svg` or
    /// `/pictures/rides/<id>@<1-3>x.svg`; nil for any other path.
    package static func svg(at path: String) -> [UInt8]? {
        let parts = path.split(separator: "/")
        guard parts.count == 3, parts[0] == "pictures", parts[2].hasSuffix(".svg") else {
            return nil
        }
        let name = String(parts[2].dropLast(4))
        let text: String? =
            switch parts[1] {
            case "episodes": episode(name)
            case "users": UserPicture.svg(name)
            case "rides": ride(name)
            default: nil
            }
        return text.map { Array($0.utf8) }
    }

    private static func episode(_ id: String) -> String? {
        Catalogue.plans.first { "\($0.show.id)-\($0.season)-\($0.number)" == id }
            .map { EpisodePicture(show: $0.show, number: $0.number).svg }
    }

    private static func ride(_ name: String) -> String? {
        let parts = name.split(separator: "@")
        guard parts.count == 2, ["1x", "2x", "3x"].contains(parts[1]),
            let scale = parts[1].first?.wholeNumberValue
        else { return nil }
        return RidePicture.svg(String(parts[0]), scale: scale)
    }
}

/// What is served from a directory, and what pages from there may do.
package struct StaticFilesConfiguration: Sendable, Hashable {
    /// The root. Nothing outside is served, also not by way of a symbolic link.
    package var directory: String
    /// Further places that pages may load pictures from, as sources of a content security
    /// policy: `https://images.example`.
    package var imageSources: [String]

    /// Files of a directory.
    package init(directory: String, imageSources: [String] = []) {
        self.directory = directory
        self.imageSources = imageSources
    }

    /// The content security policy: all from our own origin, nothing inline, no frames.
    var contentSecurityPolicy: String {
        let images = (["'self'", "data:"] + imageSources.filter(Self.isPlain))
            .joined(separator: " ")
        return "default-src 'self'; img-src \(images); connect-src 'self'; "
            + "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
    }

    /// Whether a source can stand in the policy without changing its other parts.
    private static func isPlain(_ source: String) -> Bool {
        source.utf8.allSatisfy { (0x21..<0x7F).contains($0) && $0 != 0x3B && $0 != 0x2C }
    }
}

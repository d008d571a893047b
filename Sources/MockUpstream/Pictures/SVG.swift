/// Shapes as SVG text.
enum SVG {
    /// A whole file; `width` and `height` are both its size and its coordinates, times `scale`.
    static func file(
        _ title: String, width: Int, height: Int, scale: Int = 1, _ shapes: [String]
    ) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" role="img" width="\(width * scale)" \
        height="\(height * scale)" viewBox="0 0 \(width) \(height)">\
        <title>\(escaped(title))</title>\(shapes.joined())</svg>
        """
    }

    static func gradient(_ id: String, _ top: String, _ bottom: String) -> String {
        """
        <defs><linearGradient id="\(id)" x1="0" y1="0" x2="0" y2="1">\
        <stop offset="0" stop-color="\(top)"/><stop offset="1" stop-color="\(bottom)"/>\
        </linearGradient></defs>
        """
    }

    static func rectangle(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, fill: String,
        radius: Double = 0
    ) -> String {
        """
        <rect x="\(x)" y="\(y)" width="\(width)" height="\(height)" rx="\(radius)" fill="\(fill)"/>
        """
    }

    static func circle(
        _ x: Double, _ y: Double, _ radius: Double, fill: String, opacity: Double = 1
    ) -> String {
        "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"\(radius)\" fill=\"\(fill)\" opacity=\"\(opacity)\"/>"
    }

    static func ellipse(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, fill: String
    ) -> String {
        "<ellipse cx=\"\(x)\" cy=\"\(y)\" rx=\"\(width)\" ry=\"\(height)\" fill=\"\(fill)\"/>"
    }

    static func path(_ data: String, fill: String, opacity: Double = 1) -> String {
        "<path d=\"\(data)\" fill=\"\(fill)\" opacity=\"\(opacity)\"/>"
    }

    static func line(
        _ data: String, stroke: String, width: Double = 2, dashes: String = "none"
    ) -> String {
        """
        <path d="\(data)" fill="none" stroke="\(stroke)" stroke-width="\(width)" \
        stroke-linecap="round" stroke-linejoin="round" stroke-dasharray="\(dashes)"/>
        """
    }

    private static func escaped(_ text: String) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).joined(separator: "&amp;")
    }
}

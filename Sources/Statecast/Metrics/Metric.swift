import Sockets

/// One metric in the OpenMetrics text format (OpenMetrics 1.0 §5).
///
///     # TYPE statecast_route_requests counter
///     # HELP statecast_route_requests Requests to a route of the application.
///     statecast_route_requests_total{route="POST /hooks/{name}"} 3
struct Metric {
    enum Kind: String {
        case counter, gauge, summary
    }

    typealias Row = (labels: [(String, String)], value: Int)

    let text: String

    init(_ name: String, _ kind: Kind, _ help: String, _ rows: [Row]) {
        var text = "# TYPE \(name) \(kind.rawValue)\n# HELP \(name) \(help)\n"
        for row in rows {
            let labels = row.labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }
            let list = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
            text += "\(name)\(kind == .counter ? "_total" : "")\(list) \(row.value)\n"
        }
        self.text = text
    }

    init(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        self.init(name, kind, help, [([], value)])
    }

    /// A summary of so many measurements, that have so many seconds together.
    init(_ name: String, _ help: String, count: Int, sum: Duration) {
        let seconds = Double(sum.nanoseconds) / 1e9
        text = """
            # TYPE \(name) \(Kind.summary.rawValue)
            # UNIT \(name) seconds
            # HELP \(name) \(help)
            \(name)_count \(count)
            \(name)_sum \(seconds)

            """
    }

    /// The value of a label with `\`, `"` and line ends escaped: `a"b` is `a\"b`.
    static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
    }
}

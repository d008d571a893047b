/// The values of labels in the OpenMetrics text format (OpenMetrics 1.0 §5, `escaped-string`).
enum MetricsLabel {
    /// The value with `\`, `"` and line ends escaped: `a"b` is `a\"b`.
    static func escaped(_ value: String) -> String {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// Lists applications, one a line.
@resultBuilder
public enum ServedBuilder {
    /// The applications in their order.
    public static func buildBlock(_ applications: [Served]...) -> [Served] {
        applications.flatMap { $0 }
    }

    /// One application.
    public static func buildExpression(_ application: Served) -> [Served] { [application] }

    /// Applications that are served on a condition.
    public static func buildOptional(_ applications: [Served]?) -> [Served] { applications ?? [] }
}

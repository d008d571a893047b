/// The means of an interceptor to decide and to stamp.
public struct MiddlewareContext: Sendable {
    /// The source of the action.
    public let origin: Origin
    private let environment: Environment

    /// A context.
    public init(origin: Origin, environment: Environment) {
        self.origin = origin
        self.environment = environment
    }

    /// The time, which a reducer may not read.
    public var now: Timestamp { environment.now() }

    /// A new id, which a reducer may not make.
    public func makeID() -> String { environment.makeID() }
}

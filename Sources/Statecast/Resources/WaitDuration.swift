import HTTPServer
import Sessions

/// The `wait` of a GET and the `settle` of a POST: seconds, a fraction allowed.
enum WaitDuration {
    /// Reads a parameter; throws where it is no number from 0 to the limit.
    static func parse(
        _ text: String, of name: String, _ limits: SessionLimits
    ) throws(ProblemDetails) -> Duration {
        let (limit, _) = limits.waitDuration.components
        guard let seconds = Double(text), seconds >= 0, seconds <= Double(limit) else {
            throw .badParameter(name, "seconds from 0 to \(limit).")
        }
        return .seconds(seconds)
    }
}

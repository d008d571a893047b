import HTTPClient

/// An answer of the outside API that is not a success.
package struct UpstreamError: Error, Hashable, Sendable {
    /// The status code, 300 to 599.
    package let status: Int

    /// A sentence for the person who looks at the screen, whatever the error is.
    package static func message(for error: any Error) -> String {
        switch error {
        case let error as UpstreamError where error.status == 404:
            "The service does not know this."
        case is UpstreamPath.InvalidSegment:
            "The service does not know this."
        case let error as UpstreamError:
            "The service answered with an error (\(error.status)). Try again."
        case HTTPClientError.timedOut, HTTPClientError.connectTimedOut:
            "The service took too long to answer. Try again."
        case HTTPClientError.overloaded, HTTPClientError.ownerOverloaded:
            "Too much is asked of the service at once. Try again."
        case is HTTPClientError:
            "The service cannot be reached. Try again."
        default:
            "The service's answer made no sense. Try again."
        }
    }
}

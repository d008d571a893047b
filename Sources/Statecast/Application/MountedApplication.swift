import Journaling
import Logging
import Redux
import Sessions
import Sockets
import StateCoding

/// An application at its place in the server, without its types.
protocol MountedApplication: Sendable {
    /// The path, without a slash at its end: `/counter`, or nothing for the root.
    var name: String { get }

    /// The clocks of its middleware and effects.
    var environment: Environment { get }

    /// Deletes what the application keeps under the id of an ended session.
    func forget(_ id: SessionID) async throws

    /// The store of a session: at its beginning, or at what a journal has kept of it. Throws where
    /// that is no state of this application.
    func makeStore(
        _ id: SessionID, _ opened: OpenedSession, _ context: ServingContext
    ) throws(DecodingFailure) -> any SessionStore

    /// The state of a new session as JSON.
    func initialDocument() throws(EncodingFailure) -> [UInt8]
}

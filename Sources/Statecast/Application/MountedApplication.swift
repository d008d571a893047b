import HTTPServer
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

    /// The types of its actions and facts, by their numbers.
    var actionTypes: [String] { get }

    /// The clocks of its middleware and effects.
    var environment: Environment { get }

    /// The version of its states' JSON.
    var schemaVersion: Int { get }

    /// The time after which a session in memory ends that nobody uses; nil: as for the others.
    var lifetime: Duration? { get }

    /// The entries of its sessions are kept in memory from their beginning on.
    var keepsEntries: Bool { get }

    /// Throws where the application cannot play a recording.
    func admit(_ header: Recording.Header) throws(ProblemDetails)

    /// The store of a session that plays a recording which was admitted.
    func makeReplay(of tape: ReplayTape) -> any ShowsState

    /// Deletes what the application keeps under the id of an ended session.
    func forget(_ id: SessionID) async throws

    /// Has the application begin a session; throws where the input or the application refuse that.
    ///
    /// - Parameter epoch: the first part of the session's tokens.
    func start(
        _ id: SessionID, _ start: SessionStart, epoch: String
    ) throws(StartRefusal) -> any StartedState

    /// The store of a session: at what a journal has kept of it, or at its beginning. Throws where
    /// that is no state of this application, or the application refuses it.
    func makeStore(
        _ id: SessionID, _ opened: OpenedSession, _ started: (any StartedState)?,
        _ context: ServingContext
    ) throws(DecodingFailure) -> any TakesActions
}

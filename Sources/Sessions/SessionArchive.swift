package import Bytes
package import Redux
package import StateCoding

/// The past of a session: the log of its entries, and its states of before.
package struct SessionArchive {
    private let session: Session

    package init(_ session: Session) {
        self.session = session
    }

    /// The log of the session's entries, which are kept from here on; nil before the first one.
    package func askForLog() -> EntryLog? {
        session.logging.ask()
        settle()
        session.countMemory()
        return session.logging.log
    }

    /// The tag of what a log is shown as: the session's token, what it is shown as, and the version
    /// that it begins with.
    ///
    ///     k3f9-42.log17
    package func tag(of log: EntryLog?, as form: String) -> [UInt8] {
        let oldest = log?.baseVersion ?? session.version
        return session.token.bytes + Array(".\(form)\(oldest)".utf8)
    }

    /// The epoch, where an entry is the first of it.
    package func epochBegun(by version: UInt64) -> String? {
        session.logging.firstOfEpoch == version ? session.epoch : nil
    }

    /// The oldest version whose state is known.
    package var oldestVersion: UInt64 {
        let lastChange = session.store.lastChange
        return min(session.logging.log?.baseVersion ?? lastChange, lastChange)
    }

    /// The state at a version, of now or of before.
    package func state(at version: UInt64) throws(Refusal) -> PastState {
        guard version <= session.version else { return .future }
        settle()
        defer { session.countMemory() }
        if let visible = session.logging.log?.visibleVersion(at: version),
            let json = session.logging.state(at: visible)
        {
            return .known(version: visible, json: json)
        }
        guard version >= session.store.lastChange,
            let json = try session.content(of: session.projections.whole)
        else { return .gone(oldest: oldestVersion) }
        return .known(version: version, json: json)
    }

    /// The projection of a state that a viewer is shown: that of now, or of before (see `PastState`). Nil
    /// where it cannot be made.
    package func projection(
        of json: SharedBytes, at version: UInt64, view: String?, _ pointer: JSONPointer?,
        for viewer: Viewer
    ) -> Projection? {
        guard version < session.store.lastChange else {
            return present(view: view, pointer, for: viewer)
        }
        // Operators are not told: a client could fill their log by asking.
        do throws(EncodingFailure) {
            return try PastState.projection(
                of: json, at: version, view: view, pointer, for: viewer, in: session.store)
        } catch {
            return nil
        }
    }

    /// The projection of the present state, with its secrets.
    private func present(
        view: String?, _ pointer: JSONPointer?, for viewer: Viewer
    ) -> Projection? {
        let projection = session.projections.find(view, pointer, for: viewer, in: session.store)
        do throws(Refusal) {
            _ = try session.content(of: projection)
            return projection
        } catch {
            return nil
        }
    }

    /// The id and ETag of a projection at a version of before.
    package func tag(_ projection: Projection, at version: UInt64) -> [UInt8] {
        projection.tag(session.epoch, version)
    }

    /// Takes entries over that the session has played from a recording.
    ///
    /// - Parameter upcomingByteCount: the bytes of those that are still to be played.
    package func take(_ played: ReplayTape.Played, upcomingByteCount: Int) {
        session.logging.take(played, upcomingByteCount: upcomingByteCount)
        session.countMemory()
    }

    private func settle() {
        session.logging.settle(
            committed: session.version, head: session.store.headVersion)
    }
}

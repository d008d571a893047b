import HTTPServer
import Journaling
import Redux
import Sessions

/// The way of a session into memory that may have to be made: the place among all sessions that it
/// was given, and the beginning that its application has made of it.
struct Entrance {
    /// The client that the session counts to, where it is made and counts to one.
    let maker: SessionMaker?
    /// The state that it begins with, if there is none; nil where it is not to be made.
    private(set) var started: (any StartedState)?
    /// The same for the journal.
    private(set) var new: NewSession?
    /// The outcome where there is no session.
    private(set) var withoutSession = SessionOpening.absent

    /// Has an application begin the session that is wished for, and enters it among all sessions.
    ///
    /// - Parameter start: nil where the session is only asked for.
    init(
        _ start: SessionStart?, _ id: SessionID, _ application: any MountedApplication,
        _ quota: SessionQuota, at now: Timestamp
    ) {
        maker = start?.maker
        guard let start else { return }
        let epoch = Token.randomEpoch()
        do throws(StartRefusal) {
            let started = try application.start(id, start, epoch: epoch)
            guard quota.enter(maker) else {
                withoutSession = .failed(.tooManySessions)
                return
            }
            self.started = started
            new = NewSession(epoch: epoch, created: now, schema: application.schemaVersion) {
                () throws(EncodingFailure) in
                try started.json()
            }
        } catch {
            withoutSession = .refused(error)
        }
    }

    /// The session did not come into memory: gives its place back, if it had one.
    func leave(_ quota: SessionQuota) {
        if new != nil { quota.leave(maker) }
    }
}

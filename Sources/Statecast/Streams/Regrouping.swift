import HTTPServer
import Sessions
import Sockets

/// Moves clients whose class has changed with the state, as that of a spectator who sits down, to
/// the projections of their new classes.
///
/// They are moved before these projections are published, so that each is made once for the old
/// clients and the new ones; whom the publication did not reach is sent the projection afterwards.
final class Regrouping {
    private let limits: SessionLimits
    private var watchers: [StreamWatcher] = []
    private var waiters: [Waiter] = []
    /// There are some of these. One look, where mostly there are none.
    private var hasMoved = false

    init(limits: SessionLimits) {
        self.limits = limits
    }

    // MARK: Before the publication

    /// Moves the clients of a session that are of another class by its present state.
    func move(clientsOf session: Session, on loop: isolated EventLoop) {
        for (view, projections) in session.projections.classed {
            for leavers in takeLeavers(of: view, projections, in: session.store) {
                for (watcher, viewer) in leavers.watchers { move(watcher, of: viewer, on: loop) }
                for waiter in leavers.waiters { move(waiter, on: loop) }
            }
        }
    }

    /// Asks once for all classes of a view, and removes those who leave before any of them is moved:
    /// until then, each client has the place that the answer names.
    private func takeLeavers(
        of view: String?, _ projections: [Projection], in store: any SessionStore
    ) -> [Audience.Leavers] {
        let groups = projections.map { projection in
            let audience = projection.isClassed ? Audience.known(of: projection) : nil
            return ViewerGroup(projection.viewerClass, audience?.classedViewers ?? [])
        }
        return store.leavers(ofView: view, among: groups.span).map { leavers in
            Audience.of(projections[leavers.group]).take(at: leavers.places)
        }
    }

    private func move(
        _ watcher: StreamWatcher, of viewer: Viewer, on loop: isolated EventLoop
    ) {
        let session = watcher.session
        let new = session.projections.find(
            like: watcher.projection, for: viewer, in: session.store)
        // The new one first: at no moment does the session miss its watcher.
        session.watch(new)
        session.unwatch(watcher.projection)
        guard session.projections.isWithin(limits) else {
            session.unwatch(new)
            watcher.sendControl("busy", on: loop)
            watcher.stream?.finish(on: loop)
            return
        }
        watcher.move(to: new)
        let since = session.projections.since(viewer, of: new, in: session.store)
        Audience.of(new).add(watcher, of: viewer, since: since, at: loop.now)
        watchers.append(watcher)
        hasMoved = true
    }

    private func move(_ waiter: Waiter, on loop: isolated EventLoop) {
        let session = waiter.session
        session.release(waiter.projection)
        let new = session.projections.find(
            like: waiter.projection, for: waiter.viewer, in: session.store)
        guard session.projections.hasRoom(for: new, limits) else {
            return waiter.refuse(.tooManyWaiting, on: loop)
        }
        waiter.move(to: new)
        waiters.append(waiter)
        hasMoved = true
    }

    // MARK: After the publication

    /// Sends those that were moved their projections, as far as the publication did not.
    func finish(on loop: isolated EventLoop) {
        guard hasMoved else { return }
        hasMoved = false
        let (watchers, waiters) = (watchers, waiters)
        (self.watchers, self.waiters) = ([], [])
        for watcher in watchers where watcher.isNew { watcher.sendContent(limits, on: loop) }
        for waiter in waiters { waiter.answerIfHeld(on: loop) }
    }
}

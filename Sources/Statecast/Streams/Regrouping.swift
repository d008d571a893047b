import HTTPServer
import Sessions
import Sockets

extension StreamWatcher {
    /// Has the stream watch another projection of its session, however many there are: an open stream
    /// finds room.
    func move(to new: Projection, as viewer: Viewer, on loop: isolated EventLoop) {
        // The new one first: at no moment does the session miss its watcher.
        session.add(watchers: 1, to: new, of: chooser)
        session.add(watchers: -1, to: projection)
        begin(with: new)
        let since = session.projections.since(viewer, of: new)
        Audience.of(new).add(self, of: viewer, since: since, at: loop.now)
    }
}

/// Moves clients whose class has changed with the state, as that of a spectator who sits down, to
/// the projections of their new classes.
///
/// They are moved before these projections are published, so that each is made once for the old
/// clients and the new ones; whom the publication did not reach is sent the projection afterwards.
extension StepPerformer {
    /// Moves the clients of a session that are of another class by its present state.
    func move(clientsOf session: Session, on loop: isolated EventLoop) {
        for (view, projections) in session.projections.classed {
            // All are asked about at once, and those who leave removed before any of them is moved:
            // until then, each client has the place that the answer names.
            let groups = projections.map { projection in
                let audience = projection.isClassed ? Audience.known(of: projection) : nil
                return ViewerGroup(projection.viewerClass, audience?.classedViewers ?? [])
            }
            let leavers = session.store.leavers(ofView: view, among: groups.span)
                .map { Audience.of(projections[$0.group]).take(at: $0.places) }
            for (watchers, waiters) in leavers {
                for (watcher, viewer) in watchers { move(watcher, of: viewer, on: loop) }
                for waiter in waiters { move(waiter, on: loop) }
            }
        }
    }

    private func move(
        _ watcher: StreamWatcher, of viewer: Viewer, on loop: isolated EventLoop
    ) {
        let session = watcher.session
        let new = session.projections.find(
            like: watcher.projection, watcher.absent, for: viewer)
        // What was not there cost nothing; now it counts as what its client has selected.
        if watcher.projection.isAbsence,
            !session.projections.isWithinShare(watcher.chooser, limits)
        {
            session.add(watchers: -1, to: watcher.projection)
            return watcher.end("busy", on: loop)
        }
        watcher.move(to: new, as: viewer, on: loop)
        moved.watchers.append(watcher)
    }

    private func move(_ waiter: Waiter, on loop: isolated EventLoop) {
        let session = waiter.session
        session.add(waiters: -1, to: waiter.projection)
        let new = session.projections.find(
            like: waiter.projection, nil, for: waiter.viewer)
        waiter.move(to: new)
        moved.waiters.append(waiter)
    }

    /// Moves the clients whose parts were not there, and are now, to these.
    func move(clientsOf absence: Audience, _ base: Projection, on loop: isolated EventLoop) {
        guard let json = base.json else { return }
        for (watcher, viewer) in absence.takeFound(in: json.bytes) {
            move(watcher, of: viewer, on: loop)
        }
    }

    /// Sends those that were moved their projections, as far as the publication did not, and will not.
    func sendMoved(on loop: isolated EventLoop) {
        guard !moved.watchers.isEmpty || !moved.waiters.isEmpty else { return }
        let (watchers, waiters) = moved
        moved = (
            watchers.filter { $0.session.isLate($0.projection) },
            waiters.filter { $0.session.isLate($0.projection) }
        )
        for watcher in watchers where watcher.isNew && !watcher.session.isLate(watcher.projection) {
            watcher.sendContent(waitingBehind: limits.watcherByteCount, on: loop)
        }
        for waiter in waiters where !waiter.session.isLate(waiter.projection) {
            waiter.answerIfHeld(on: loop)
        }
    }
}

import HTTPServer
import Redux
import Sessions
import Sockets

/// Hands open streams over to other principals: a stream shows from then on what its new one sees.
struct ViewerChange {
    let limits: SessionLimits
    let facts: SessionFacts

    /// Has a stream show what a principal sees: at once, where that is not the same.
    func change(
        _ watcher: StreamWatcher, to principal: Principal, on loop: isolated EventLoop
    ) {
        guard watcher.principal != principal, !watcher.session.isEnded,
            let audience = Audience.known(of: watcher.projection), audience.contains(watcher)
        else { return }
        let isOther = watcher.principal.id != principal.id
        if isOther { facts.left(watcher, at: loop.now) }
        watcher.become(principal)
        // Before the application is told: what it does then may change the state, and the former
        // principal's view of the change must not be sent.
        show(watcher, on: loop)
        guard isOther, Audience.known(of: watcher.projection)?.contains(watcher) ?? false else {
            return
        }
        facts.came(watcher, on: loop)
    }

    /// Has a stream show the projection that its principal sees in place of the present one.
    private func show(_ watcher: StreamWatcher, on loop: isolated EventLoop) {
        let (session, old) = (watcher.session, watcher.projection)
        guard let audience = Audience.known(of: old), audience.contains(watcher),
            let present = audience.viewer(of: watcher)
        else { return }
        let viewer = Viewer(watcher.principal, arguments: present.arguments)
        let new = session.projections.find(like: old, for: viewer, in: session.store)
        let since = session.projections.since(viewer, of: new, in: session.store)
        guard new.key != old.key else { return audience.set(viewer, since: since, of: watcher) }
        let shown = old.json
        audience.remove(watcher)
        // The new one first: at no moment does the session miss its watcher.
        session.watch(new)
        session.unwatch(old)
        guard session.projections.isWithin(limits) else {
            session.unwatch(new)
            watcher.sendControl("busy", on: loop)
            watcher.stream?.finish(on: loop)
            return
        }
        watcher.move(to: new)
        Audience.of(new).add(watcher, of: viewer, since: since, at: loop.now)
        watcher.sendContent(insteadOf: shown, limits, on: loop)
    }
}

import HTTPServer
import Redux
import Sessions
import Sockets

/// Makes open streams another principal's: what they show from then on is what that one sees.
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
        watcher.principal = principal
        // First of all: what the application is told may change what the former one would be shown.
        show(watcher, on: loop)
        if isOther { facts.came(watcher, on: loop) }
    }

    /// Has a stream show the projection that its principal sees in place of the present one.
    private func show(_ watcher: StreamWatcher, on loop: isolated EventLoop) {
        let (session, old) = (watcher.session, watcher.projection)
        guard let audience = Audience.known(of: old), audience.contains(watcher),
            let present = audience.viewer(of: watcher)
        else { return }
        let viewer = Viewer(watcher.principal, arguments: present.arguments)
        let new = session.projections.find(like: old, for: viewer, in: session.store)
        guard new.key != old.key else { return audience.set(viewer, of: watcher) }
        guard session.projections.hasRoom(for: new, limits) else {
            watcher.sendControl("busy", on: loop)
            watcher.stream?.finish(on: loop)
            return
        }
        let shown = old.json
        audience.remove(watcher)
        watcher.move(to: new)
        session.watch(new)
        session.unwatch(old)
        Audience.of(new).add(watcher, of: viewer, at: loop.now)
        watcher.sendContent(insteadOf: shown, on: loop)
    }
}

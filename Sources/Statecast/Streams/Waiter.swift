import HTTPServer
import Redux
import Sessions
import Sockets

/// A GET that is held until its projection changes.
final class Waiter {
    let viewer: Viewer
    let session: Session
    private(set) var projection: Projection
    /// The version of the client's value that a patch is asked for from; nil: none is.
    private var base: UInt64?
    /// The version since which the viewer is known to be of the projection's class.
    private(set) var since: UInt64
    private let exchange: Exchange
    /// The client, where it has selected the projection; 0: it has not.
    private let chooser: Accounts.Client
    private var held: Held?

    init(
        session: Session, projection: Projection, viewer: Viewer, since: UInt64,
        from base: UInt64?, exchange: Exchange, of chooser: Accounts.Client
    ) {
        self.session = session
        self.projection = projection
        self.viewer = viewer
        self.since = since
        self.base = base
        self.exchange = exchange
        self.chooser = chooser
    }

    /// Holds the request for so long at most.
    func wait(for duration: Duration, on loop: isolated EventLoop) {
        Audience.of(projection).add(self)
        session.add(waiters: 1, to: projection, of: chooser)
        held = Held(exchange, for: duration, endsWithInput: true, on: loop) {
            [self] _, interruption in
            leave(on: loop)
            guard interruption != .clientGone else { return }
            // The client knows nothing of the change that is being published.
            if session.isLate(projection) { return answer(on: loop) }
            exchange.respondNotModified(session.tag(projection), on: loop)
        }
    }

    /// Has the request wait for another projection, which it is answered with.
    func move(to projection: Projection) {
        self.projection = projection
        base = nil
        since = session.projections.since(viewer, of: projection)
        Audience.of(projection).add(self)
        session.add(waiters: 1, to: projection, of: chooser)
    }

    /// Answers with the projection's present value.
    func answer(on loop: isolated EventLoop) {
        held?.end(on: loop)
        session.remember(viewer, of: projection, since: since)
        exchange.refusing(on: loop) { () throws(ProblemDetails) in
            try exchange.show(projection, of: session, from: base, on: loop)
        }
    }

    /// Answers, where the publication of the projection did not.
    func answerIfHeld(on loop: isolated EventLoop) {
        guard Audience.of(projection).contains(self) else { return }
        answer(on: loop)
        leave(on: loop)
    }

    /// Answers that the projection cannot be had.
    ///
    /// - Parameter problem: nil: it is the client's still.
    func refuse(_ problem: ProblemDetails?, on loop: isolated EventLoop) {
        held?.end(on: loop)
        guard let problem else {
            return exchange.respondNotModified(session.tag(projection), on: loop)
        }
        exchange.respond(problem, on: loop)
    }

    private func leave(on loop: isolated EventLoop) {
        let audience = Audience.of(projection)
        guard audience.contains(self) else { return }
        audience.remove(self)
        session.remember(viewer, of: projection, since: since)
        session.add(waiters: -1, to: projection)
        held?.end(on: loop)
    }
}

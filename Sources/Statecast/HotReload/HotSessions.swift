import HTTPServer
import Journaling
import Redux
import Sessions
import Sockets
import StateCoding

/// The sessions of one loop that stand in files: tells of their changes, and has them take edits.
final class HotSessions {
    /// Whoever has the folder sets states, under no name.
    private static let editor = Principal("", roles: [Role.admin])

    private unowned let registry: SessionRegistry
    private let reload: HotReload
    /// Those that are in memory tell of their next change.
    private var followed: [SessionName: Subscription?] = [:]

    init(_ registry: SessionRegistry, _ reload: HotReload) {
        (self.registry, self.reload) = (registry, reload)
    }

    /// A session has a file.
    ///
    /// - Parameter isAwaited: it is opened for that; otherwise it tells of itself once it is.
    func follow(_ name: SessionName, isAwaited: Bool, on loop: isolated EventLoop) {
        followed.updateValue(nil, forKey: name)
        if isAwaited {
            reach(name, nil, on: loop) { [self] in noteEntry(of: $0) }
        } else if let session = find(name) {
            noteEntry(of: session)
        }
    }

    func leave(_ name: SessionName) { followed[name] = nil }

    /// A session has ended for good.
    func noteEnd(of name: SessionName) {
        guard followed.keys.contains(name) else { return }
        reload.tell(.refused(name, nil, [.edit("The session has ended.")]))
    }

    /// A session has come into memory, or goes on with another state.
    func noteEntry(of session: Session) {
        let name = registry.name(of: session)
        if followed.keys.contains(name) { noteChange(of: name) }
    }

    /// The next one is told of once the session has been shown: a busy one pays for no more.
    private func noteChange(of name: SessionName) {
        followed.updateValue(nil, forKey: name)
        reload.tell(.changed(name))
    }

    /// Tells the state of a session that is in memory.
    func show(_ name: SessionName) {
        guard followed.keys.contains(name), let session = find(name) else {
            return reload.tell(.shown(name, nil))
        }
        let whole = session.projections.whole
        guard registry.context.sessions.budget.hasRoom(for: session.showingByteCount(whole)) else {
            reload.tell(.changed(name))
            return reload.tell(.shown(name, nil))
        }
        let next = session.actions?.observe { [weak self] in self?.noteChange(of: name) }
        followed.updateValue(next, forKey: name)
        do throws(Refusal) {
            let json = try session.content(of: whole)
            reload.tell(.shown(name, json.map { (session.token, $0.bytes) }))
        } catch {
            reload.tell(.refused(name, nil, DecodingFailure.edits(error)))
        }
    }

    /// Has a session take an edited state, where it has not gone on from the one that was edited.
    func take(
        _ state: [UInt8], of token: Token, _ edit: UInt64, to name: SessionName,
        on loop: isolated EventLoop
    ) {
        reach(name, edit, on: loop) { [self] session in
            let isPresent = session.hasState(of: token)
            let now = session.time(on: loop)
            registry.performer.submit(
                state.count, key: nil, ifMatch: [isPresent ? session.token : token], to: session,
                at: now, on: loop
            ) { (store, append, _) throws(Refusal) in
                try store.replaceState(by: state.span, of: Self.editor, at: now, append)
            } answered: { [reload] result in
                switch result {
                case .success(let decision):
                    let made = Token(epoch: session.epoch, version: decision.version)
                    reload.tell(.taken(name, edit, made))
                case .failure(.preconditionFailed):
                    let fault = DecodingFailure.edit(
                        "The session has gone on to \(session.token) since \(token), which was edited. "
                            + "With that token this state takes the place of the present one.",
                        at: ["token"])
                    reload.tell(.refused(name, edit, [fault]))
                case .failure(let refusal):
                    reload.tell(.refused(name, edit, DecodingFailure.edits(refusal)))
                }
            }
        }
    }

    private func find(_ name: SessionName) -> Session? {
        registry.place(of: name).flatMap { registry.find($0.id, mount: $0.mount) }
    }

    /// Goes on with a session that may have to be opened, for an edit or nil.
    private func reach(
        _ name: SessionName, _ edit: UInt64?, on loop: isolated EventLoop,
        _ goOn: @escaping (Session) -> Void
    ) {
        guard let (id, mount) = registry.place(of: name) else { return }
        registry.reach(id, mount: mount, on: loop) { [reload] result in
            switch result {
            case .success(let session): goOn(session)
            case .failure(let error):
                reload.tell(.refused(name, edit, [.edit(error.description)]))
            }
        }
    }
}

import Bytes
import HTTPMessages
import HTTPServer
import Journaling
import Redux
import Sessions
import Sockets
import StateCoding

/// `POST M/sessions/{id}/forget` and `…/revert`: what an operator does to a session's history, for the
/// role *admin*.
extension Router {
    /// `{"before":17}`
    private struct Forgetting: Decodable { let before: UInt64 }
    /// `{"version":17}`
    private struct Reversion: Decodable { let version: UInt64 }

    func decode<Value: Decodable>(
        _ type: Value.Type, _ request: SessionRequest, in bytes: Span<UInt8>
    ) throws(ProblemDetails) -> Value {
        do throws(DecodingFailure) {
            return try StateDecoder().decode(type, from: bytes.extracting(request.body))
        } catch {
            throw .unreadableBody(error)
        }
    }

    /// What led to a version, and the states before it, is gone for ever: one snapshot takes its place.
    func forget(
        _ request: SessionRequest, of session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let version = try decode(Forgetting.self, request, in: bytes).before
        guard !session.isReplay else { throw .replay }
        guard version <= session.version else { throw .versionNotReached }
        session.forget(before: version, on: loop)
        guard session.isPastKept else {
            return request.exchange.respond(.noContent, on: loop) { _ in }
        }
        let lease = session.appendRight
        try read(for: request, session.id, in: bytes, on: loop) {
            (journal, _) throws(JournalFailure) in
            do throws(JournalFailure) {
                try await journal.forget(lease, through: version)
            } catch {
                // It is gone already.
                guard case .compacted = error else { throw error }
            }
        } then: { (_, request, _) throws(ProblemDetails) in
            request.exchange.respond(.noContent, on: loop) { _ in }
        }
    }

    /// Has a session go on from the state at a version, also one that is frozen or cannot be read: by an
    /// entry that begins another epoch. Its streams end, and their clients come again.
    func revert(
        _ request: SessionRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        guard let id = SessionID(request.plan.name.string(in: bytes)) else { throw .badSessionID }
        let version = try decode(Reversion.self, request, in: bytes).version
        let (mount, epoch) = (registry.mounts[request.mount], Step.randomEpoch())
        let known = registry.find(id, mount: request.mount)
        if let known, known.isReplay { throw .replay }
        let entry = EncodedEntry(
            version: 0, at: registry.context.now(),
            head: StagedBatch.head(
                revertedBy: request.principal, epoch: epoch, after: known?.epoch), patch: nil)
        guard context.keepsEntries else {
            guard let known else { throw .sessionNotFound }
            let past = try known.past(at: version)
            return registry.revert(known, to: past.json, by: entry, epoch, on: loop) { problem in
                request.exchange.refusing(on: loop) { () throws(ProblemDetails) in
                    if let problem { throw problem }
                    self.answerReverted(request, known, on: loop)
                }
            }
        }
        try read(for: request, id, in: bytes, on: loop) { (journal, name) throws(JournalFailure) in
            let document = try await journal.document(of: name, at: version)
            guard !document.isUnsafe else { return .versionNotShown }
            // Of one without its secrets nothing can be told.
            if !document.isRedacted {
                journal.reads(document)
                defer { journal.reads(document, isDone: true) }
                guard await mount.reads(document) else { return .versionNotShown }
            }
            do throws(JournalFailure) {
                try await journal.revert(name, to: version, by: entry, epoch: epoch)
                return nil
            } catch {
                guard error == .unknown else { throw error }
                return .outcomeUnknown
            }
        } then: { [self] (problem: ProblemDetails?, request, bytes) throws(ProblemDetails) in
            guard let problem else {
                return try openReverted(id, for: request, in: bytes, on: loop)
            }
            // What the journal has counts.
            if problem == .outcomeUnknown { letGo(of: id, request, on: loop) }
            throw problem
        }
    }

    /// Opens a session that was reverted in place of what was opened before.
    private func openReverted(
        _ id: SessionID, for request: SessionRequest, in bytes: [UInt8], on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let name = registry.name(id, mount: request.mount)
        guard registry.lives.stage(of: name) == nil else {
            return try registry.wait(for: name, on: loop) { [self] _ in
                request.exchange.refusing(on: loop) { () throws(ProblemDetails) in
                    try openReverted(id, for: request, in: bytes, on: loop)
                }
            }
        }
        letGo(of: id, request, on: loop)
        try open(id, for: request, in: bytes.span, on: loop)
    }

    /// Has the next one who asks for a session open it anew.
    private func letGo(of id: SessionID, _ request: SessionRequest, on loop: isolated EventLoop) {
        registry.lives.forget(registry.name(id, mount: request.mount))
        guard let session = registry.find(id, mount: request.mount) else { return }
        registry.close(session, isKept: true, on: loop)
    }

    /// What posted actions are answered with, for the entry that has reverted a session.
    func answerReverted(
        _ request: SessionRequest, _ session: Session, on loop: isolated EventLoop
    ) {
        let body = """
            {"version":\(session.version),"token":"\(session.token)","changed":true}
            """
        request.exchange.respond(.ok, on: loop) { writer in
            writer.content(tag: session.token.bytes)
            writer.body(Array(body.utf8))
        }
    }
}

extension SessionRegistry {
    /// Has a session in memory go on from a state of before; its clients come again. Memory keeps no
    /// secrets of before.
    fileprivate func revert(
        _ session: Session, to json: SharedBytes, by entry: EncodedEntry, _ epoch: String,
        on loop: isolated EventLoop, _ told: @escaping (ProblemDetails?) -> Void
    ) {
        let mount = mounts[session.mount]
        let document = session.reverted(to: json, by: entry, epoch).opened.document
        Task.immediate {
            do throws(DecodingFailure) {
                guard let document, !document.isRedacted else { return told(.versionNotShown) }
                let restored = try await mount.restore(document)
                revert(session, to: json, by: entry, epoch, restored.state, on: loop, told)
            } catch {
                told(.versionNotShown)
            }
        }
    }

    private func revert(
        _ session: Session, to json: SharedBytes, by entry: EncodedEntry, _ epoch: String,
        _ state: any StateValue, on loop: isolated EventLoop,
        _ told: @escaping (ProblemDetails?) -> Void
    ) {
        performer.onceShown(session) { [self] in
            guard !session.isEnded else { return told(.sessionEnded) }
            let (opened, entry) = session.reverted(to: json, by: entry, epoch)
            do throws(DecodingFailure) {
                let store = try mounts[session.mount].makeStore(session.id, opened, state, context)
                performer.endStreams(of: session, "busy", on: loop)
                session.reopen(opened, store, by: entry)
                goOn(with: session, on: loop)
                told(nil)
            } catch {
                told(.versionNotShown)
            }
        }
    }
}

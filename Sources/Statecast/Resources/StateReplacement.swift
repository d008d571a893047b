import HTTPMessages
import HTTPServer
import Redux
import Sessions
import Sockets
import StateCoding

/// `PUT M/sessions/{id}/state`: sets the state by hand, for the role *admin*.
struct StateReplacement {
    let actions: ActionsResource

    func put(
        _ request: SessionRequest, to session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let wishes = try actions.wishes(of: request, in: bytes)
        let tag = session.token.bytes
        if EntityTag.condition(.ifNoneMatch, of: request.head, in: bytes, current: tag) == .matches
        {
            throw .preconditionFailed.with(tag: tag)
        }
        let key = try actions.key(of: request, for: "state", in: bytes)
        let now = Timestamp(milliseconds: loop.wallClockMilliseconds)
        let body = bytes.extracting(request.body)
        let reply: Reply
        do throws(Refusal) {
            reply = try session.submit(
                body.count, key: key,
                ifMatch: { ActionsResource.matches(request, in: bytes, $0) }, at: now
            ) { (store, append, _) throws(Refusal) in
                try store.replaceState(by: body, of: request.principal, at: now, append)
            }
        } catch {
            actions.performer.perform(session, on: loop)
            if case .unreadable = error { throw ProblemDetails(error) }
            throw ProblemDetails(error).with(tag: session.token.bytes)
        }
        actions.performer.perform(session, on: loop)
        if case .now(.failure(.rejected(let rejection, _))) = reply {
            throw ProblemDetails(rejection, in: nil).with(tag: session.token.bytes)
        }
        try actions.performer.answers.answer(reply, to: wishes, of: session, on: loop)
    }
}

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
    ) throws(ProblemAnswer) {
        let wishes = try actions.wishes(of: request, in: bytes)
        let tag = session.token.bytes
        if EntityTag.condition(.ifNoneMatch, of: request.head, in: bytes, current: tag) == .matches
        {
            throw ProblemAnswer(.preconditionFailed, tag: tag)
        }
        let key = try actions.key(of: request, for: "state", in: bytes)
        let submitted = try submit(request, key, to: session, in: bytes, on: loop)
        switch submitted {
        case .taken(let decision):
            try actions.performer.answers.answer(decision, to: wishes, of: session, on: loop)
        case .refused(.rejected(let rejection, _)):
            throw ProblemAnswer(
                ProblemDetails(rejection, in: nil), tag: session.token.bytes)
        case .refused(let refusal), .turnedAway(let refusal):
            throw ProblemAnswer(ProblemDetails(refusal), tag: session.token.bytes)
        case .held(let ticket): actions.performer.answers.hold(wishes, ticket)
        }
    }

    /// Has the session take the state in the body over; throws where that is none.
    private func submit(
        _ request: SessionRequest, _ key: RequestKey?, to session: Session,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemAnswer) -> Submitted {
        let now = Timestamp(milliseconds: loop.wallClockMilliseconds)
        let (store, body) = (session.store, bytes.extracting(request.body))
        var failure: DecodingFailure?
        let submitted = session.submit(
            .request(byteCount: body.count), key: key,
            ifMatch: { ActionsResource.matches(request, in: bytes, $0) }, at: now
        ) { (append, _) throws(ActionFailure) in
            do throws(DecodingFailure) {
                return try store.replaceState(by: body, of: request.principal, at: now, append)
            } catch {
                failure = error
                throw .syntax(offset: error.offset, detail: error.detail)
            }
        }
        actions.performer.perform(session, on: loop)
        if let failure { throw ProblemAnswer(.unreadableBody(failure)) }
        return submitted
    }
}

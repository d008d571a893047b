import HTTPServer
import Sockets

/// An answer that waits until the effects of its actions have ended.
final class SettlingAnswer: ExchangeObserver, TimerHandler {
    let session: Session
    let context: SessionContext
    let answer: ActionAnswer
    let request: ActionRequest
    let roots: ClosedRange<UInt64>
    var timer: Timer?

    init(
        session: Session, context: SessionContext, answer: ActionAnswer, request: ActionRequest,
        roots: ClosedRange<UInt64>
    ) {
        self.session = session
        self.context = context
        self.answer = answer
        self.request = request
        self.roots = roots
    }

    func exchangeClosed(on loop: isolated EventLoop) {
        session.remove(self, on: loop)
    }

    func exchangeDraining(on loop: isolated EventLoop) {
        conclude(isSettled: false, on: loop)
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        self.timer = nil
        conclude(isSettled: false, on: loop)
    }

    /// Answers with the version that is reached by now.
    func conclude(isSettled: Bool, on loop: isolated EventLoop) {
        session.remove(self, on: loop)
        var answer = answer
        answer.settled = isSettled
        answer.version = session.store.version
        session.respond(answer, request, context, on: loop)
    }
}

extension Session {
    /// Whether nothing that these versions started is still under way.
    func isSettled(_ roots: ClosedRange<UInt64>) -> Bool {
        store.isIdle || roots.allSatisfy { store.isSettled($0) }
    }

    func hold(
        _ answer: ActionAnswer, _ request: ActionRequest, _ roots: ClosedRange<UInt64>,
        for duration: Duration, _ context: SessionContext, on loop: isolated EventLoop
    ) {
        let settling = SettlingAnswer(
            session: self, context: context, answer: answer, request: request, roots: roots)
        self.settling.append(settling)
        waiterCount += 1
        settling.timer = loop.schedule(after: duration, settling)
        request.exchange.observeClose(settling, on: loop)
    }

    func remove(_ answer: SettlingAnswer, on loop: isolated EventLoop) {
        guard let index = settling.firstIndex(where: { $0 === answer }) else { return }
        settling.remove(at: index)
        waiterCount -= 1
        if let timer = answer.timer { loop.cancel(timer) }
        answer.timer = nil
    }

    /// Answers those whose effects have all ended.
    func answerSettled(on loop: isolated EventLoop) {
        for answer in settling where isSettled(answer.roots) {
            answer.conclude(isSettled: true, on: loop)
        }
    }
}

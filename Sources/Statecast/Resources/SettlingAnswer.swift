import HTTPServer
import Sessions
import Sockets

/// An answer that waits until the effects of its actions have ended.
final class SettlingAnswer: ExchangeObserver, TimerHandler {
    private let ticket: Ticket
    private let decision: Decision
    private let request: ActionRequest
    private let session: Session
    private let answers: ActionAnswers
    private var timer: Timer?

    init(
        _ ticket: Ticket, _ decision: Decision, _ request: ActionRequest, of session: Session,
        in answers: ActionAnswers
    ) {
        self.ticket = ticket
        self.decision = decision
        self.request = request
        self.session = session
        self.answers = answers
    }

    /// Waits for so long at most.
    func wait(for duration: Duration, on loop: isolated EventLoop) {
        timer = loop.schedule(after: duration, self)
        request.exchange.observeClose(self, on: loop)
    }

    func exchangeClosed(on loop: isolated EventLoop) {
        answers.withdraw(ticket, of: session)
        cancelTimer(on: loop)
    }

    func exchangeDraining(on loop: isolated EventLoop) {
        conclude(on: loop)
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        self.timer = nil
        conclude(on: loop)
    }

    private func conclude(on loop: isolated EventLoop) {
        answers.withdraw(ticket, of: session)
        respond(isSettled: false, on: loop)
    }

    /// Answers with the version that is reached by now.
    func respond(isSettled: Bool, on loop: isolated EventLoop) {
        cancelTimer(on: loop)
        ProblemAnswer.catching(request.exchange, on: loop) { () throws(ProblemAnswer) in
            try answers.respond(
                decision, to: request, of: session, isSettled: isSettled, on: loop)
        }
    }

    private func cancelTimer(on loop: isolated EventLoop) {
        if let timer { loop.cancel(timer) }
        timer = nil
    }
}

import HTTPMessages
import Sockets

/// One connection that posts to its sessions, one request at a time.
final class Poster: ReadinessHandler {
    private let descriptor: Descriptor
    private var registration: Registration?
    private let run: LoadRun
    private var answers = ResponseReader()
    private let writes = WriteQueue()
    /// Posts that wait for their turn: the session, and when it was due.
    private var due: [(session: Int, at: Instant)] = []
    private var sent: (session: Int, at: Instant)?

    init(_ descriptor: consuming Descriptor, run: LoadRun, on loop: isolated EventLoop)
        throws(SystemError)
    {
        self.descriptor = descriptor
        self.run = run
        registration = try loop.add(self.descriptor, interest: .read, handler: self)
    }

    /// Posts to a session now, or behind the posts that wait.
    func post(to session: Int, at instant: Instant, on loop: isolated EventLoop) {
        if sent == nil {
            send(session, at: instant, on: loop)
        } else {
            due.append((session, instant))
        }
    }

    private func send(_ session: Int, at instant: Instant, on loop: isolated EventLoop) {
        sent = (session, instant)
        run.willPost(to: session, at: instant)
        let request = run.requests[session]
        let result = writes.send(copying: request.span, to: descriptor, loop.system)
        if result != .drained { run.fail("a post could not be sent") }
    }

    /// Stops listening; the descriptor closes with the last reference.
    func close(on loop: isolated EventLoop) {
        if let registration { loop.remove(registration) }
        registration = nil
    }

    func ready(_ events: Readiness, on loop: isolated EventLoop) {
        var statuses: [Int] = []
        var failure: ResponseError?
        let result = loop.receive(from: descriptor) { bytes in
            do throws(ResponseError) {
                try answers.read(bytes) { head, _, _ in statuses.append(head.status) }
            } catch {
                failure = error
            }
        }
        if let failure { return run.fail("an answer cannot be read: \(failure)") }
        switch result {
        case .bytes: break
        case .wouldBlock: return
        case .closed, .failed: return run.fail("the server closed a posting connection")
        }
        for status in statuses {
            guard let done = sent else { return run.fail("an answer that nobody asked for") }
            sent = nil
            run.didPost(to: done.session, at: done.at, status: status, on: loop)
        }
        if sent == nil, !due.isEmpty {
            let next = due.removeFirst()
            // Without a rate nothing is late that waits for its connection.
            send(next.session, at: run.plan.rate == nil ? loop.now : next.at, on: loop)
        }
    }
}

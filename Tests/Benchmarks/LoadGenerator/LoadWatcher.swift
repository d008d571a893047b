import HTTPMessages
import Sockets

/// One event stream that counts what arrives.
final class LoadWatcher: ReadinessHandler {
    private let descriptor: Descriptor
    private var registration: Registration?
    private let run: LoadRun
    private let session: Int
    private var scanner = EventScanner()
    private(set) var lastVersion = -1

    init(
        _ descriptor: consuming Descriptor, session: Int, run: LoadRun,
        on loop: isolated EventLoop
    ) throws(SystemError) {
        self.descriptor = descriptor
        self.session = session
        self.run = run
        registration = try loop.add(self.descriptor, interest: .read, handler: self)
    }

    /// Stops listening; the descriptor closes with the last reference.
    func close(on loop: isolated EventLoop) {
        if let registration { loop.remove(registration) }
        registration = nil
    }

    func ready(_ readiness: Readiness, on loop: isolated EventLoop) {
        var events: [LoadEvent] = []
        var byteCount = 0
        var failure: EventStreamParser.LineTooLong?
        let result = loop.receive(from: descriptor) { bytes in
            do throws(EventStreamParser.LineTooLong) {
                byteCount += bytes.count
                try scanner.scan(bytes) { events.append($0) }
            } catch {
                failure = error
            }
        }
        if let failure { return run.fail("a stream cannot be read: \(failure)") }
        if case .closed = result { return run.fail("the server closed a stream") }
        if case .failed = result { return run.fail("a stream was lost") }
        run.received(byteCount)
        for event in events {
            let previous = lastVersion
            lastVersion = event.version
            run.arrived(event, after: previous, session: session, on: loop)
        }
    }
}

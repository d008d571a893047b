import Sockets

/// A connection of a test's client, whose errors are failures of the test: an author who reads them
/// knows no sockets.
struct TestConnection: Sendable {
    private let connection: BlockingConnection

    init(to server: TestServer) throws(TestFailure) {
        do throws(SystemError) {
            connection = try server.connect()
        } catch {
            throw .connection("\(error)")
        }
    }

    func send(_ text: String) throws(TestFailure) {
        do throws(SystemError) {
            try connection.send(text)
        } catch {
            throw .connection("\(error)")
        }
    }

    /// Receives the bytes that come next; none at the end of the connection.
    func receive(within patience: Duration) throws(TestFailure) -> [UInt8] {
        do throws(SystemError) {
            return try connection.receive(timeout: patience)
        } catch {
            throw failure(error, after: patience)
        }
    }

    /// Receives until the server ends the connection.
    func receiveAll(within patience: Duration = .seconds(30)) throws(TestFailure) -> [UInt8] {
        do throws(SystemError) {
            return try connection.receiveAll(timeout: patience)
        } catch {
            throw failure(error, after: patience)
        }
    }

    private func failure(_ error: SystemError, after patience: Duration) -> TestFailure {
        error.code == .timedOut
            ? .timedOut(after: patience, latest: "none") : .connection("\(error)")
    }
}

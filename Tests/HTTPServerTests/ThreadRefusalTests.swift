import FaultPlans
import Logging
import Sockets
import Testing

@testable import HTTPServer

@Suite struct `A server whose loops get no thread` {
    @Test(arguments: 1...3)
    func `does not start, and names the loop`(number: Int) throws {
        let plan = FaultPlan(.failure(.wouldBlock), at: number, of: .startThread)
        let configuration = WebServerConfiguration(
            host: "127.0.0.1", port: 0, loopCount: 3, logger: Logger(label: "test"))
        let server = try WebServer(configuration: configuration, faults: plan.next) { _ in
            ProbeHandler(Journal())
        }
        let error = #expect(throws: SystemError.self) { try server.start() }
        #expect(
            error == SystemError(.startThread, .wouldBlock, subject: "loop-\(number - 1)"))
        #expect(server.address == nil)
    }
}

import Foundation
import JournalSQLite
import Logging
import Statecast

/// A text that is typed, beside 64 others; one action ends the process.
struct FaultyApplication: Application {
    struct State: StateValue {
        struct Eight: StateValue {
            var a = "", b = "", c = "", d = "", e = "", f = "", g = "", h = ""
        }

        var text = ""
        var a = Eight(), b = Eight(), c = Eight(), d = Eight()
        var e = Eight(), f = Eight(), g = Eight(), h = Eight()
    }

    enum Action: ActionGroup { case typed(String), saved, trapped }

    let initialState = State()
    let views = Views<State>.all

    func reduce(_ state: inout State, _ action: Action, _ step: Step) {
        switch action {
        case .typed(let text): state.text = text
        case .saved: state.a.a = state.text
        case .trapped: preconditionFailure("The reducer traps.")
        }
    }

    func work(in state: State) -> [Work<Action>] {}
}

/// Tells its log on standard output, and has `FOLDER` for its sessions and crashes.
@main struct FaultyServer {
    static func main() async {
        LoggingSystem.bootstrap { StreamLogHandler.standardOutput(label: $0) }
        let rates: [RateLimit] = [
            .newest(every: .milliseconds(200), of: "typed"),
            .atMost(2, per: .seconds(60), of: "saved", from: .session),
        ]
        await Server.main(try configuration()) {
            Served("/faulty", FaultyApplication(), options: SessionOptions(rates: rates))
        }
    }

    private static func configuration() throws -> ServerConfiguration {
        let folder = ProcessInfo.processInfo.environment["FOLDER"] ?? "."
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.operators = .loopback
        configuration.journal = try SQLiteJournal(directory: "\(folder)/journal")
        configuration.crashRecording = "\(folder)/crashes"
        return configuration
    }
}

import Foundation
import JournalPostgreSQL
import JournalSQLite
import Logging
import Statecast

/// A text that is typed, or made as long as is asked, beside 64 others; one action ends the process.
struct FaultyApplication: Application {
    struct State: StateValue {
        struct Eight: StateValue {
            var a = "", b = "", c = "", d = "", e = "", f = "", g = "", h = ""
        }

        var text = ""
        var a = Eight(), b = Eight(), c = Eight(), d = Eight()
        var e = Eight(), f = Eight(), g = Eight(), h = Eight()
    }

    enum Action: ActionGroup { case typed(String), saved, filled(byteCount: Int), trapped }

    let initialState = State()
    let views = Views<State>.all

    func reduce(_ state: inout State, _ action: Action, _ step: Step) {
        switch action {
        case .typed(let text): state.text = text
        case .saved: state.a.a = state.text
        case .filled(let count): state.text = String(repeating: "x", count: count)
        case .trapped: preconditionFailure("The reducer traps.")
        }
    }

    func work(in state: State) -> [Work<Action>] {}
}

/// Rings at a time, and tells so outside: in a file of the folder, whose content is the work's key.
struct BellApplication: Application {
    struct State: StateValue {
        var due: Timestamp?
        var isRinging = false
    }

    enum Action: ActionGroup { case set(milliseconds: Int), rang, told(Answer<Done>) }

    let folder: String
    let initialState = State()
    let views = Views<State>.all

    func reduce(_ state: inout State, _ action: Action, _ step: Step) {
        switch action {
        case .set(let time): state.due = Timestamp(milliseconds: Int64(time))
        case .rang: state = State(isRinging: true)
        case .told: state.isRinging = false
        }
    }

    func work(in state: State) -> [Work<Action>] {
        if let due = state.due { Work.alarm("bell", at: due, send: .rang) }
        if state.isRinging {
            Work("tell", for: Done()) { [folder] _, context in
                let path = "\(folder)/\(UUID().uuidString).told"
                try Data(context.key.utf8).write(to: URL(filePath: path), options: .atomic)
                // Who tells it hears the answer later.
                try await ContinuousClock().sleep(for: .milliseconds(200))
                return Done()
            } then: {
                .told($0)
            }
        }
    }
}

/// Tells its log on standard output, and has `FOLDER` for its sessions and crashes; or `JOURNAL` for its
/// sessions, with other servers.
@main struct FaultyServer {
    static func main() async {
        LoggingSystem.bootstrap { StreamLogHandler.standardOutput(label: $0) }
        let folder = ProcessInfo.processInfo.environment["FOLDER"] ?? "."
        let rates: [RateLimit] = [
            .newest(every: .milliseconds(200), of: "typed"),
            .atMost(2, per: .seconds(60), of: "saved", from: .session),
        ]
        await Server.main(try configuration(folder)) {
            Served("/faulty", FaultyApplication(), options: SessionOptions(rates: rates))
            Served("/bell", BellApplication(folder: folder))
        }
    }

    private static func configuration(_ folder: String) throws -> ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.operators = .loopback
        if let address = ProcessInfo.processInfo.environment["JOURNAL"] {
            configuration.journal = try PostgreSQLJournal(address)
            configuration.cluster = Cluster(host: "127.0.0.1", keyFile: "\(folder)/cluster.key")
        } else {
            configuration.journal = try SQLiteJournal(directory: "\(folder)/journal")
            configuration.crashRecording = "\(folder)/crashes"
        }
        return configuration
    }
}
